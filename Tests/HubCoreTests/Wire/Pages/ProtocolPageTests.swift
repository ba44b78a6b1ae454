// The protocol's page against the code: every dump, every kind, every flag, every number in its tables.

import HubCore
import TestSupport
import Testing

@Suite struct ProtocolPageTests {
  private let page: ProtocolPage

  init() throws { page = try ProtocolPage() }

  /// The dumps of single messages; the others are the session's.
  private var vectors: [ProtocolPage.Dump] {
    page.dumps.filter { !$0.name.hasPrefix(ProtocolSessionTests.prefix) }
  }

  @Test("the page can be read: bytes are bytes, names are used once")
  func readable() {
    #expect(page.problems == [])
    #expect(page.dumps.count > 50)
  }

  @Test("every dump on the page is a message that the tests expect, and every message expected has its dump")
  func complete() {
    let onPage = Set(vectors.map(\.name))
    let expected = Set(ProtocolVectors.all.keys)
    #expect(onPage.subtracting(expected) == [], "dumps that nobody checks")
    #expect(expected.subtracting(onPage) == [], "messages without a dump")
  }

  @Test("each message is encoded as the page shows it, and the page's bytes are decoded as the message")
  func agreement() {
    for dump in vectors {
      guard let message = ProtocolVectors.all[dump.name] else { continue }
      #expect(message.frame == dump.bytes, "encoding \(dump.name), line \(dump.line)")
      #expect((try? Message.decoded(dump.bytes).get()) == message, "decoding \(dump.name), line \(dump.line)")
    }
  }

  @Test("every kind of frame has a dump")
  func everyKind() {
    let shown = Set(vectors.map { $0.bytes[4] })
    for kind in Frame.Kind.allCases { #expect(shown.contains(kind.rawValue), "\(kind) has no dump") }
  }

  @Test("every flag of every kind has a dump that sets it")
  func everyFlag() {
    let flags: [Frame.Kind: UInt8] = [
      .write(.set): 0x7F, .write(.add): 0x01, .write(.remove): 0x03, .write(.create): 0x08,
      .request(.watch): 0x0F, .event(.change): 0x03, .event(.created): 0x07, .event(.removed): 0x03,
      .event(.current): 0x30,
      .reply(.written): 0x07, .reply(.listed): 0x01, .reply(.described): 0x07, .reply(.clientList): 0x01,
      .reply(.logged): 0x01, .reply(.monitored): 0x03,
      .request(.provide): 0x0F, .event(.forward): 0x01, .reply(.decided): 0x01,
    ]
    for kind in Frame.Kind.allCases {
      let shown = vectors.filter { $0.bytes[4] == kind.rawValue }.reduce(0) { $0 | $1.bytes[5] }
      #expect(shown == flags[kind] ?? 0, "\(kind)")
    }
  }

  @Test("the page's table of kinds is the code's")
  func kinds() {
    let kinds = Frame.Kind.allCases.map { (Int($0.rawValue), "\($0)") }
    #expect(page.numbered(under: "| kind | name | from | |") == Dictionary(uniqueKeysWithValues: kinds))
    for row in page.rows(under: "| kind | name | from | |") {
      guard let kind = Frame.Kind.allCases.first(where: { "\($0)" == row[1] }) else { continue }
      let origin = kind.isEvent ? "hub, event" : kind.isReply ? "hub, reply" : "client"
      #expect(row[2] == origin, "\(kind)")
    }
  }

  @Test("the page's table of error codes is the code's")
  func codes() {
    let codes = HubError.Code.allCases.map { (Int($0.rawValue), "\($0)") }
    #expect(page.numbered(under: "| code | name | |") == Dictionary(uniqueKeysWithValues: codes))
  }

  @Test("the page's tables of types, durabilities and reasons are the code's")
  func smallTables() {
    let types = ValueType.allCases.map { (Int($0.rawValue), $0.description) }
    #expect(page.numbered(under: "| type | name | content |") == Dictionary(uniqueKeysWithValues: types))
    let durabilities = Durability.allCases.map { (Int($0.rawValue), $0.description) }
    #expect(
      page.numbered(under: "| durability | name | a write is acknowledged |")
        == Dictionary(uniqueKeysWithValues: durabilities))
    let reasons = (UInt16.min...100).compactMap { EndReason(rawValue: $0) }.map {
      (Int($0.rawValue), "\($0)")
    }
    #expect(page.numbered(under: "| reason | name | |") == Dictionary(uniqueKeysWithValues: reasons))
  }

  /// Errors that need a server, its disk, its configuration or its own user: those tests check them.
  private static let refusals: Set<String> = ["storageFailed", "durabilityUnknown", "denied"]

  private static let errorsOfServers: [String: Set<String>] = [
    "set": refusals, "add": refusals, "toggle": refusals, "reset": refusals, "remove": refusals,
    "create": refusals, "stats": ["denied"], "access": ["denied"],
    "monitor": ["invalidPattern", "quota"], "provide": ["declared", "claimed", "conflict", "quota"],
    "standing": ["denied"], "reload": ["invalidConfiguration", "reloadFailed"],
  ]

  @Test("the page's errors by request are those that a hub has given, and every request is there")
  func errorsByRequest() {
    var given: [String: Set<String>] = Self.errorsOfServers
    for exchange in ExchangeVectors.all {
      guard case .error(let code, _, _) = exchange.answer, code != .malformed else { continue }
      let kind = Frame.Kind(rawValue: exchange.send[4])
      // The frame's kind is wrong, not its content.
      guard let kind, !kind.isEvent, !kind.isReply else { continue }
      given["\(kind)", default: []].insert("\(code)")
    }
    // Only a missing hello makes the ping fail, as it does any other request.
    given["ping"] = nil
    given["transaction"]?.subtract(["conflict", "typeMismatch"])
    let codes = Set(HubError.Code.allCases.map { "\($0)" })
    var onPage: [String: Set<String>] = [:]
    for row in page.rows(under: "| request | errors |") {
      let errors = row[1].split { !$0.isLetter }.map(String.init).filter(codes.contains)
      for request in row[0].split(separator: ", ") { onPage[String(request)] = Set(errors) }
    }
    let requests = Frame.Kind.allCases.filter { !$0.isEvent && !$0.isReply }.map { "\($0)" }
    #expect(Set(onPage.keys) == Set(requests))
    for request in requests { #expect(onPage[request] == given[request] ?? [], "\(request)") }
  }

  @Test(
    "what is not on the page is noticed: a dump without name, without end, with something else than bytes")
  func reader() {
    #expect(ProtocolPage(text: "```hex a\n00 1g\n```").problems.count == 1)
    #expect(ProtocolPage(text: "```hex\n00\n```").problems.count == 1)
    #expect(ProtocolPage(text: "```hex a\n00\n```\n```hex a\n00\n```").problems.count == 1)
    #expect(ProtocolPage(text: "```hex a\n00").problems.count == 1)
    let page = ProtocolPage(text: "```sh\nls\n```\n```hex a\n0a ff ; 00\n 01\n```")
    #expect(page.problems == [])
    #expect(page.dumps.map(\.name) == ["a"])
    #expect(page.dumps.first?.bytes == [0x0A, 0xFF, 0x01])
  }
}
