// How programs tell the hub's errors apart.

import HubCore
import Testing

private struct Other: Error {}

private func fail(_ error: any Error) throws { throw error }
private func fail(_ error: HubError) throws(HubError) { throw error }

@Suite struct HubErrorTests {
  private func outcome(_ error: any Error) -> String {
    do {
      try fail(error)
      return "none"
    } catch HubError.Code.conflict, HubError.Code.noSuchStore {
      return "expected"
    } catch HubError.Code.denied {
      return "denied"
    } catch {
      return "other"
    }
  }

  private func typedOutcome(_ error: HubError) -> String {
    do throws(HubError) {
      try fail(error)
      return "none"
    } catch HubError.Code.conflict {
      return "conflict"
    } catch {
      return error.message
    }
  }

  @Test("an error is caught by its code, whatever its static type")
  func caught() {
    #expect(outcome(HubError(.conflict, "")) == "expected")
    #expect(outcome(HubError(.noSuchStore, "")) == "expected")
    #expect(outcome(HubError(.denied, "")) == "denied")
    #expect(outcome(HubError(.quota, "")) == "other")
    #expect(outcome(Other()) == "other")
    #expect(typedOutcome(HubError(.conflict, "")) == "conflict")
    #expect(typedOutcome(HubError(.quota, "full")) == "full")
  }
}
