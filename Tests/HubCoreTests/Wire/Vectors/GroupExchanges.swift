// What the hub answers to transactions and watches.

import HubCore
import TestSupport

extension ExchangeVectors {
  private static func operation(_ request: Request) -> [UInt8] { Message.request(request, id: 0).frame }
  private static func a(_ value: Int64 = 1) -> Request { set("a", .integer(value)) }
  private static let long = String(repeating: "x", count: 1200)

  static let transactions: [Exchange] = [
    Exchange(
      "transaction", "two changes, one revision",
      .transaction([.set("a", .integer(1)), .add("a", .integer(2))]), .reply(.committed)),
    Exchange(
      "transaction-empty", "of no operations: the hub's revision", before: [a()], .transaction([]),
      .reply(.committed)),
    Exchange(
      "transaction-unchanged", "that changes nothing: the same", before: [a()],
      .transaction([.set("a", .integer(1))]), .reply(.committed)),
    Exchange(
      "transaction-cut", "the rest is shorter than a header", raw(.transaction, operation(a()) + [1, 2, 3]),
      .error(.malformed, operation: 1)),
    Exchange(
      "transaction-operation-cut", "an operation ends too early",
      raw(.transaction, operation(a()) + rawFrame(0x06, [])), .error(.malformed, operation: 1)),
    Exchange(
      "transaction-get", "it holds writes only", raw(.transaction, operation(a()) + operation(.get("a"))),
      .error(.unknownKind, operation: 1)),
    Exchange(
      "transaction-nested", "no transaction either", raw(.transaction, operation(.transaction([]))),
      .error(.unknownKind)),
    Exchange(
      "transaction-kind", "nor an unknown kind", raw(.transaction, rawFrame(0x3F, [])), .error(.unknownKind)),
    Exchange(
      "transaction-conflict", "a condition, as the operations before have left the store",
      .transaction([.set("a", .integer(1)), .set("a", .integer(2), condition: WriteCondition(absent: true))]),
      .error(.conflict, operation: 1, revision: 1)),
    Exchange(
      "transaction-mismatch", "the operation's own error", before: [a()],
      .transaction([.set("a", .integer(2)), .set("a", .string("x"))]), .error(.typeMismatch, operation: 1)),
    Exchange(
      "transaction-answer", "its answer would be longer than a frame from the hub may be",
      hub: HubSetup(maximumFrameLength: 65_536),
      before: [create("a", Schema(type: .string, initial: .string(long))), a2],
      .transaction(Array(repeating: .reset("a"), count: 110)), .error(.tooLarge, operation: 105)),
  ]

  private static let a2 = set("b", .integer(1))
  private static let globs = [try! NamePattern("a.*")]
  private static func watch(_ epoch: Epoch, _ revision: Revision) -> Request {
    .watch([try! NamePattern("*")], bookmark: Bookmark(epoch: epoch, revision: revision))
  }
  private static let epoch = ProtocolVectors.epoch
  private static let slow = try! WatchFilter(atMost: .milliseconds(100))
  private static func filtered(raw filter: [UInt8]) -> [UInt8] {
    raw(.watch, flags: 8, [1, 0] + short("a") + filter)
  }

  static let watching: [Exchange] = [
    Exchange("watch", "nothing matches", before: [a()], .watch(globs), .reply(.watching, then: [.synced])),
    Exchange(
      "watch-filter", "at most once in 100 ms", before: [a()],
      .watch([.everything], filter: slow), .reply(.watching, then: [.current, .synced])),
    Exchange(
      "watch-filter-twice", "with the same filter", hub: .plain, before: [.watch(globs, filter: slow)],
      .watch([.everything], filter: slow), .reply(.watching, then: [.synced])),
    Exchange(
      "watch-filter-other", "a connection has one filter", before: [.watch(globs, filter: slow)],
      .watch([.everything], filter: try! WatchFilter(by: 5)), .error(.malformed)),
    Exchange(
      "watch-filter-and-none", "not even none besides", before: [.watch(globs, filter: slow)],
      .watch([.everything]), .error(.malformed)),
    Exchange(
      "watch-filter-every", "a filter leaves out changes",
      .watch(globs, policy: .every, filter: try! WatchFilter(by: 5)), .error(.malformed)),
    Exchange(
      "watch-filter-schemas", "a filter may leave out a schema",
      .watch(globs, schemas: true, filter: try! WatchFilter(by: 5)), .error(.malformed)),
    Exchange(
      "watch-filter-nothing", "a filter without parts", filtered(raw: [0]), .error(.malformed)),
    Exchange(
      "watch-filter-unknown", "a part of a later version", filtered(raw: [0x81, 100, 0, 0, 0]),
      .error(.malformed)),
    Exchange(
      "watch-condition", "a value that does not meet it, at first", before: [a()],
      .watch([.everything], filter: try! WatchFilter(when: WatchCondition(.greater, [.integer(80)]))),
      .reply(.watching, then: [.current, .synced])),
    Exchange(
      "watch-condition-unknown", "a comparison of a later version", filtered(raw: [8, 9, 0]),
      .error(.malformed)),
    Exchange(
      "watch-condition-order", "booleans have no order", filtered(raw: [8, 5, 1, 3, 1, 0, 0, 0, 1]),
      .error(.malformed)),
    Exchange(
      "watch-condition-operand", "an operand is missing", filtered(raw: [8, 1, 0]), .error(.malformed)),
    Exchange("watch-filter-cut", "a part is missing", filtered(raw: [1, 100, 0]), .error(.malformed)),
    Exchange(
      "watch-filter-zero", "no interval", filtered(raw: [1, 0, 0, 0, 0]), .error(.malformed)),
    Exchange("watch-deadline-zero", "no deadline", filtered(raw: [16, 0, 0, 0, 0]), .error(.malformed)),
    Exchange(
      "watch-deadline", "the deadline begins with the value", before: [a()],
      .watch([.everything], filter: try! WatchFilter(deadline: .seconds(5))),
      .reply(.watching, then: [.current, .synced])),
    Exchange("watch-none", "no pattern", .watch([]), .error(.malformed)),
    Exchange(
      "watch-cut", "fewer patterns than counted", raw(.watch, [2, 0] + short("a")), .error(.malformed)),
    Exchange(
      "watch-bookmark-cut", "a bookmark of 23 bytes", raw(.watch, flags: 2, [UInt8](repeating: 0, count: 23)),
      .error(.malformed)),
    Exchange(
      "watch-twice", "the number is an open watch's", hub: .plain, before: [.watch(globs)],
      rawFrame(0x0D, request: 2, [1, 0] + short("b")), .error(.malformed)),
    Exchange(
      "watch-pattern", "no pattern has half a component for *", raw(.watch, [1, 0] + short("a*")),
      .error(.invalidPattern)),
    Exchange(
      "watch-no-utf8", "a pattern that is not UTF-8", raw(.watch, [1, 0] + short(noText)),
      .error(.invalidPattern)),
    Exchange(
      "watch-quota", "the patterns of a connection", hub: HubSetup(maximumWatches: 1),
      before: [.watch(globs)], .watch([.everything]), .error(.quota)),
    Exchange(
      "watch-bookmark-now", "nothing has happened since", before: [a()], watch(epoch, 1),
      .reply(.watching, then: [.resumed, .synced])),
    Exchange(
      "watch-bookmark", "one change has", before: [a(), a2, a(2)], watch(epoch, 2),
      .reply(.watching, then: [.resumed, .current, .synced])),
    Exchange(
      "watch-bookmark-0", "revision 0 is a bookmark like any other: all that happened in the epoch",
      before: [a(), a2], watch(epoch, 0), .reply(.watching, then: [.resumed, .current, .current, .synced])),
    Exchange(
      "watch-bookmark-future", "one above the hub's revision cannot be resumed", before: [a()],
      watch(epoch, 2),
      .reply(.watching, then: [.forget, .current, .synced])),
    Exchange(
      "watch-bookmark-epoch", "nor can one of another epoch", before: [a()], watch(Epoch(high: 0, low: 0), 1),
      .reply(.watching, then: [.forget, .current, .synced])),
    Exchange(
      "unwatch", "nothing is left to be sent", before: [.watch(globs)], .unwatch(2), .reply(.unwatched)),
    Exchange("unwatch-none", "no such watch", .unwatch(2), .error(.malformed)),
    Exchange("unwatch-cut", "half a number", raw(.unwatch, [2, 0]), .error(.malformed)),
  ]
}
