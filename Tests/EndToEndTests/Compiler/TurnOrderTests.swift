// The order of a turn, which the compiler knows: what comes too early or too late is named.

import TestSupport
import Testing

@Suite("The order of a turn", .blocking)
struct TurnOrderTests {
  /// A turn with these lines while it is open and when it is sealed.
  private func errors(open: String = "", sealed: String = "", after: String = "") async throws -> [String] {
    let source = """
      import HubCore; import HubEngine
      func turn(_ engine: inout HubEngine, _ now: Instant, _ frame: FrameView, _ out: inout OutputBuffer) {
        let session = SessionID(raw: 3)
        let turn = engine.openTurn()
        _ = engine.receive(frame, from: session, in: turn, now: now, into: &out)
        engine.expire(in: turn, now: now)
        engine.close(session, in: turn, now: now)
        \(open)
        let sealed = engine.seal(turn)
        while let next = engine.nextDue(in: sealed) {
          _ = engine.sent(engine.due(for: next, in: sealed).count, to: next, in: sealed)
        }
        \(sealed)
        engine.end(sealed)
        \(after)
      }
      """
    let errors = try await Compiler.errors(in: source, flow: true, isInside: true)
    return errors.map { "\($0.line): \($0.message)" }
  }

  @Test("what is in order compiles")
  func right() async throws {
    let errors = try await errors()
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test(
    "nothing is handed out before the turn is sealed",
    arguments: [
      "_ = engine.nextDue(in: turn)", "_ = engine.due(for: session, in: turn)",
      "_ = engine.sent(1, to: session, in: turn)", "engine.end(turn)",
    ])
  func early(line: String) async throws {
    let errors = try await errors(open: line)
    #expect(errors.count == 1 && errors[0].hasPrefix("8: cannot convert value of type 'Turn'"), "\(errors)")
  }

  @Test(
    "nothing changes when the turn is sealed",
    arguments: [
      "_ = engine.receive(frame, from: session, in: sealed, now: now, into: &out)",
      "engine.expire(in: sealed, now: now)", "engine.close(session, in: sealed, now: now)",
      "_ = engine.seal(sealed)",
    ])
  func late(line: String) async throws {
    let errors = try await errors(sealed: line)
    #expect(
      errors.count == 1 && errors[0].hasPrefix("13: cannot convert value of type 'SealedTurn'"), "\(errors)")
  }

  @Test(
    "a turn cannot be used twice",
    arguments: [
      ("engine.expire(in: turn, now: now)", "turn"),
      ("let again = engine.seal(turn); engine.end(again)", "turn"),
      ("_ = engine.nextDue(in: sealed)", "sealed"), ("engine.end(sealed)", "sealed"),
    ])
  func usedUp(line: String, name: String) async throws {
    let errors = try await errors(after: line)
    #expect(errors.contains { $0.contains("'\(name)'") && $0.contains("consume") }, "\(errors)")
  }
}
