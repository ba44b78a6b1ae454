// Tests the small things that features do with errors and with several ids.

import HubReducers
import HubReducersTesting
import Testing

@Suite struct ErrorTests {
  private struct Lost: Error, Equatable {}

  @Test("a Result takes what an asynchronous operation returns or throws")
  func result() async {
    @Sendable func load(_ fails: Bool) async throws -> Int {
      if fails { throw Lost() }
      return 1
    }
    let good = await Result { try await load(false) }
    #expect((try? good.get()) == 1)
    let bad = await Result { try await load(true) }
    #expect(throws: Lost()) { try bad.get() }
    let synchronous = Result { () throws(Lost) in throw Lost() }
    #expect(throws: Lost()) { try synchronous.get() }
  }

  @Test("what an operation throws can be reported instead")
  func reporting() async {
    let messages = await issues {
      #expect(withErrorReporting { 1 } == 1)
      #expect(withErrorReporting("saving") { throw Lost() } as Int? == nil)
      let later: Int? = await withErrorReporting {
        await Task.yield()
        throw Lost()
      }
      #expect(later == nil)
    }
    #expect(messages == ["saving: Lost()", "Lost()"])
  }

  @Test("effects of several ids are cancelled by one effect")
  func ids() async {
    let store = TestStore(initialState: 0) {
      Reduce<Int, Int> { _, action in
        action == 0
          ? .cancel(ids: [1, 2]) : .run { _ in try await Task.never() }.cancellable(id: action)
      }
    }
    for id in 1...2 { await store.send(id) }
    await store.send(0)
    await store.finish()
  }
}
