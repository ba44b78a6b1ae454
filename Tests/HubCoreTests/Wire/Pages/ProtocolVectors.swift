// The messages dumped in docs/protocol*.md, by the dumps' names: the client's here, the hub's in `+Hub`.

import HubCore
import TestSupport

enum ProtocolVectors {
  static let all: [String: Message] = requests.mapValues { .request($0.1, id: $0.0) }
    .merging(replies.mapValues { .reply($0.1, id: $0.0) }) { $1 }
    .merging(events.mapValues { .event($0) }) { $1 }

  // The subjects of the page's examples.
  static let epoch = Epoch(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
  static let volume = StoreID(raw: 0x100_0000)
  static let muted = StoreID(raw: 0x200_0001)
  static let time: Int64 = 1_700_000_000_000_000_000

  private static func store(_ text: String) -> StoreReference { .name(name(text)) }
  private static func name(_ text: String) -> StoreName { try! StoreName(text) }
  private static func pattern(_ text: String) -> NamePattern { try! NamePattern(text) }

  private static func set(
    _ condition: WriteCondition = .none, _ lifetime: Lifetime = .permanent, force: Bool = false,
    to value: Int64 = 41
  ) -> Request {
    .write(
      .set(store("audio.volume"), .integer(value), condition: condition, lifetime: lifetime, force: force))
  }

  static let requests: [String: (UInt32, Request)] = [
    "hello": (1, .hello(name: "example")),
    "ping": (2, .ping),
    "get": (3, .get(store("audio.volume"))),
    "get-by-number": (3, .get(.id(volume))),
    "set": (4, set(to: -40)),
    "set-double": (4, .write(.set(.id(volume), .double(0.25)))),
    "set-boolean": (4, .write(.set(store("audio.muted"), .boolean(true)))),
    "set-string": (4, .write(.set(store("greeting"), .string("Gr\u{FC}\u{DF}e")))),
    "set-data": (4, .write(.set(store("blob"), .data([0, 255, 128])))),
    "set-json": (4, .write(.set(store("point"), .json("{\"x\": 1}")))),
    "set-if-revision": (4, set(WriteCondition(revision: 998, epoch: epoch))),
    "set-if-value": (4, set(WriteCondition(value: .integer(40)))),
    "set-if-absent": (4, set(WriteCondition(absent: true))),
    "set-force": (4, set(force: true, to: 40)),
    "set-ttl": (4, set(.none, Lifetime(ttl: 1500))),
    "set-ephemeral": (
      4, .write(.set(store("here.me"), .boolean(true), lifetime: Lifetime(ephemeral: true)))
    ),
    "set-everything": (
      4,
      set(
        WriteCondition(revision: 998, epoch: epoch, value: .integer(40), absent: true),
        Lifetime(ttl: 1500, ephemeral: true), force: true)
    ),
    "add": (5, .write(.add(store("audio.volume"), .integer(5)))),
    "add-clamp": (5, .write(.add(.id(volume), .double(-0.5), clamp: true))),
    "toggle": (6, .write(.toggle(store("audio.muted")))),
    "reset": (7, .write(.reset(store("audio.volume")))),
    "remove": (8, .write(.remove(store("audio.volume")))),
    "remove-if-revision": (
      8,
      .write(.remove(store("audio.volume"), condition: WriteCondition(revision: 998, epoch: epoch)))
    ),
    "create": (9, .write(.create(name("audio.volume"), Schema(type: .integer)))),
    "create-number": (
      9,
      .write(
        .create(
          name("audio.volume"),
          Schema(
            type: .integer, initial: .integer(30), minimum: .integer(0), maximum: .integer(100),
            durability: .relaxed, description: "Loudness in %")))
    ),
    "create-if-absent": (
      9,
      .write(
        .create(
          name("audio.mode"),
          Schema(
            type: .string, initial: .string("on"), choices: [.string("on"), .string("off")], maxBytes: 8),
          ifAbsent: true))
    ),
    "transaction": (
      10, .transaction([.set(store("audio.volume"), .integer(50)), .toggle(store("audio.muted"))])
    ),
    "list": (11, .list(.everything)),
    "list-next": (11, .list(.everything, after: "audio.volume")),
    "describe": (12, .describe(store("audio.volume"))),
    "watch": (13, .watch([pattern("audio.*")])),
    "watch-every": (13, .watch([pattern("audio.volume"), pattern("**.muted")], policy: .every)),
    "watch-schemas": (13, .watch([.everything], schemas: true)),
    "watch-filter": (
      13, .watch([pattern("audio.volume")], filter: try! WatchFilter(atMost: .milliseconds(100), by: 0.5))
    ),
    "watch-condition": (
      13,
      .watch(
        [pattern("audio.volume")], filter: try! WatchFilter(when: WatchCondition(.greater, [.integer(80)])))
    ),
    "watch-deadline": (
      13, .watch([pattern("audio.volume")], filter: try! WatchFilter(deadline: .seconds(5)))
    ),
    "watch-bookmark": (
      13, .watch([pattern("audio.*")], bookmark: Bookmark(epoch: epoch, revision: 1003))
    ),
    "unwatch": (14, .unwatch(13)),
    "clients": (15, .clients(limit: 100)),
    "stats": (16, .stats),
    "reload": (17, .reload),
    "access": (18, .access(name("audio.volume"))),
    "access-as": (
      18,
      .access(
        name("audio.volume"),
        as: AccessQuestion(
          uid: 1000, groups: [1000, 29], socket: "web", origin: PeerOrigin(app: "org.gnome.Maps")))
    ),
    "log": (19, .log(pattern("audio.*"), from: LogPlace(revision: 1001), limit: 100)),
    "monitor": (20, .monitor(MonitorFilter(pattern: pattern("audio.*"), uid: 1000, kinds: [0x04, 0x0A]))),
    "monitor-all": (20, .monitor()),
    "provide": (
      21,
      .provide(
        ClaimOffer(name("display"), [pattern("display.**")], timeout: 2000, description: "the backlight"))
    ),
    "provide-declared": (
      21,
      .provide(
        ClaimOffer(
          name("net"), [], window: 64, waits: true, replaces: true, takesLifetimes: true,
          answersReads: true))
    ),
    "standing": (22, .standing(name("display"), .live)),
    "standing-suspended": (22, .standing(name("display"), .suspended("the bus is gone"))),
    "decide": (23, .decide(7, .accept())),
    "decide-other": (23, .decide(7, .accept(values: [.integer(75)]))),
    "decide-taken": (23, .decide(7, .taken)),
    "decide-refuse": (23, .decide(7, .refuse(.refused, "the lid is closed"))),
    "decide-again": (23, .decide(7, .again)),
    "restrict": (24, .restrict(.reading)),
  ]
}
