// Lists that are longer than a frame can count: encoded without a trap, as frames that are read as others.

import TestSupport
import Testing

@testable import HubCore

@Suite("Counts in frames")
struct CountTests {
  private static let many = 70_000

  private func decoded(_ request: Request) throws -> Request {
    var out = OutputBuffer()
    request.encode(into: &out, id: 1)
    return try Request(decoding: FrameView(bytes: out.view))
  }

  @Test("more patterns, values, groups and kinds than can be counted are cut")
  func requests() throws {
    let patterns = try (0..<CountTests.many).map { try NamePattern("a\($0)") }
    guard case .watch(let watched, _, _, _, _) = try decoded(.watch(patterns)) else {
      throw TestFailure("watch")
    }
    #expect(watched == Array(patterns.prefix(65_535)))
    guard case .provide(let offer) = try decoded(.provide(ClaimOffer(try StoreName("a"), patterns))) else {
      throw TestFailure("provide")
    }
    #expect(offer.patterns.count == 65_535)
    let values = [Value](repeating: .boolean(true), count: CountTests.many)
    #expect(
      try decoded(.decide(1, .accept(values: values)))
        == .decide(1, .accept(values: Array(values.prefix(65_535)))))
    let groups = (0..<UInt32(CountTests.many)).map { $0 }
    guard
      case .access(_, let question?) = try decoded(
        .access(try StoreName("a"), as: AccessQuestion(uid: 1, groups: groups)))
    else { throw TestFailure("access") }
    #expect(question.groups.count == 65_535)
    let kinds = [UInt8](repeating: 3, count: 300)
    guard case .monitor(let filter) = try decoded(.monitor(MonitorFilter(kinds: kinds))) else {
      throw TestFailure("monitor")
    }
    #expect(filter.kinds.count == 255)
  }

  @Test("a reload with more notes than can be counted is answered with the first ones")
  func notes() throws {
    var out = OutputBuffer()
    let notes = (0..<CountTests.many).map { "\($0)" }
    Reply.reloaded(release: "1", notes: notes).encode(into: &out, request: 1)
    guard case .reloaded(_, let read) = try Reply(decoding: FrameView(bytes: out.view)) else {
      throw TestFailure("no reply")
    }
    #expect(read == Array(notes.prefix(65_535)))
  }
}
