// The messages of docs/protocol*.md that the hub sends.

import HubCore
import TestSupport

extension ProtocolVectors {
  private static func state(
    _ id: StoreID, _ revision: Revision, _ version: UInt64, _ value: Value
  ) -> StoreState {
    StoreState(id: id, revision: revision, version: version, time: time, uid: 1000, value: value)
  }

  private static func result(
    _ id: StoreID, _ revision: Revision, _ version: UInt64, _ value: Value? = nil
  ) -> WriteResult {
    WriteResult(
      id: id, revision: revision, version: version, changed: true, durability: .volatile, value: value)
  }

  private static func removal(_ id: UInt64, _ revision: Revision) -> HubEvent.Removal {
    HubEvent.Removal(id: StoreID(raw: id), revision: revision, version: 2, time: time, uid: 1000)
  }

  static let replies: [String: (UInt32, Reply)] = [
    "welcome": (
      1,
      .welcome(
        Welcome(
          version: 1, capabilities: 0, epoch: epoch, revision: 1000, maximumFrameLength: 1 << 20, pid: 4242,
          release: "1.0.0"))
    ),
    "pong": (2, .pong(revision: 1000)),
    "value": (3, .value(state(volume, 998, 7, .integer(40)))),
    "written": (4, .written(result(volume, 1001, 8))),
    "written-unchanged": (
      4,
      .written(WriteResult(id: volume, revision: 998, version: 7, changed: false, durability: .synced))
    ),
    "written-taken": (
      4,
      .written(
        WriteResult(
          id: StoreID(raw: 0x300_0002), revision: 1003, version: 10, changed: false, durability: .volatile,
          isTaken: true))
    ),
    "providing": (21, .providing(claim: 1, revision: 1008)),
    "stood": (22, .stood(revision: 1009)),
    "decided": (23, .decided(counted: true, revision: 1010)),
    "restricted": (24, .restricted),
    "decided-late": (23, .decided(counted: false, revision: 1011)),
    "written-value": (5, .written(result(volume, 1002, 9, .integer(45)))),
    "committed": (
      10,
      .committed(revision: 1003, [result(volume, 1003, 10), result(muted, 1003, 3, .boolean(true))])
    ),
    "listed": (
      11,
      .listed(
        [
          StoreSummary(
            name: "audio.muted", id: muted, type: .boolean, declared: true, revision: 1003, version: 3,
            time: time, length: 1, value: .boolean(true)),
          StoreSummary(
            name: "blob", id: StoreID(raw: 0x300_0002), type: .data, declared: false, revision: 990,
            version: 1, time: time, length: 5000, value: nil),
        ], more: false)
    ),
    "listed-more": (
      11,
      .listed(
        [
          StoreSummary(
            name: "audio.volume", id: volume, type: .integer, declared: false, revision: 1003, version: 10,
            time: time, length: 8, value: .integer(50))
        ], more: true)
    ),
    "described": (
      12,
      .described(
        StoreDescription(
          name: "audio.volume", state: state(volume, 1003, 10, .integer(50)),
          schema: Schema(
            type: .integer, initial: .integer(30), minimum: .integer(0), maximum: .integer(100)),
          durability: .relaxed, declared: true, watchers: 3))
    ),
    "described-lifetime": (
      12,
      .described(
        StoreDescription(
          name: "here.me", state: state(StoreID(raw: 0x400_0003), 1004, 1, .boolean(true)),
          schema: Schema(type: .boolean), durability: .volatile, declared: false, watchers: 0, ttl: 1200,
          owner: 7))
    ),
    "watching": (13, .watching(revision: 1004)),
    "unwatched": (14, .unwatched),
    "client-list": (
      15,
      .clients(
        [
          ClientSummary(
            session: 7, peer: Peer(pid: 501, uid: 1000, gid: 1000), name: "example", since: time,
            watches: 2, requests: 15, unsent: 0, behind: false, cost: 63_750, held: 0, catchUps: 0,
            origin: PeerOrigin(unit: "cups.service"))
        ], more: false)
    ),
    "client-list-more": (
      15,
      .clients(
        [
          ClientSummary(
            session: 8, peer: Peer(pid: 502, uid: 0, gid: 0), name: "", since: time, watches: 1,
            requests: 2, unsent: 4096, behind: true, cost: 8_500, held: 8192, catchUps: 1,
            origin: PeerOrigin(
              unit: "user@0.service", userUnit: "app-flatpak-org.gnome.Maps-4711.scope", app: "org.gnome.Maps"
            ))
        ], more: true)
    ),
    "statistics": (
      16,
      .statistics([Statistic(name: "stores", value: 3), Statistic(name: "changes", value: 1004)])
    ),
    "reloaded": (17, .reloaded(release: "0.1.0", notes: [])),
    "reloaded-notes": (
      17, .reloaded(release: "0.2.0", notes: ["socket: the change waits for the hub's next start"])
    ),
    "explained": (
      18,
      .explained(
        explanation {
          $0.answers = [
            .init(right: "read", verdict: .yes, subject: "anyone"),
            .init(right: "write", verdict: .ifOwn, subject: "owner"),
            .init(right: "create", verdict: .no, subject: ""),
          ]
        })
    ),
    "explained-as": (
      18,
      .explained(
        explanation {
          $0.rule = .init(origin: "access[0]", pattern: "audio.**")
          $0.socket = .init(name: "web", rights: ["read", "write"], prefix: "audio", user: "user:web")
          $0.store = .of(uid: 1000)
          $0.answers = [
            .init(right: "read", verdict: .yes, subject: "group:audio"),
            .init(right: "remove", verdict: .notAtSocket, subject: "owner"),
          ]
        })
    ),
    "explained-trusted": (
      18,
      .explained(
        explanation {
          $0.isTrusted = true
          $0.store = .missing
        })
    ),
    "logged": (
      19,
      .logged(
        logPage([
          LoggedChange(
            kind: .changed, name: "audio.volume", id: StoreID(raw: 7), revision: 1003, version: 5, time: time,
            uid: 1000, pid: 4711, client: "example", value: .integer(50)),
          LoggedChange(
            kind: .removed, name: "audio.bass", id: StoreID(raw: 8), revision: 1004, version: 3, time: time,
            uid: 1000, pid: 0, client: "", value: nil),
        ]))
    ),
    "logged-more": (19, .logged(logPage([], next: LogPlace(revision: 1004, skip: 2)))),
    "monitored": (
      20, .monitored(MonitorPage(records: monitorRecords, missed: 0, more: true, begins: false))
    ),
    "monitored-begins": (20, .monitored(MonitorPage(records: [], missed: 0, more: false, begins: true))),
    "error": (
      3,
      .error(
        HubError(
          .noSuchStore, store: "audio.bass", "there is no such store: set or create it first"))
    ),
    "error-conflict": (
      4,
      .error(
        HubError(
          .conflict, store: "audio.volume", "the store is at revision 1003, not 998", revision: 1003))
    ),
    "error-transaction": (
      10,
      .error(
        HubError(
          .typeMismatch, store: "audio.volume", "the store's type is integer, the value is a string",
          operation: 1))
    ),
  ]

  private static func logPage(_ changes: [LoggedChange], next: LogPlace? = nil) -> LogPage {
    var page = LogPage(floor: 1000, revision: 1004)
    page.changes = changes
    page.next = next
    return page
  }

  private static var monitorRecords: [MonitorRecord] {
    var refused = MonitorRecord(
      time: time, kind: RequestKind.get.rawValue, revision: 1003, uid: 1000, pid: 4711, client: "example",
      name: "audio.volume")
    let error = HubError(.noSuchStore, "there is no such store: set or create it first")
    (refused.code, refused.error) = (error.code.rawValue, error.message)
    refused.payload = [12] + Array("audio.volume".utf8)
    refused.length = 25
    var ended = MonitorRecord(
      time: time, kind: EventKind.removed.rawValue, revision: 1004, uid: 990, pid: 0, client: "",
      name: "tmp.x")
    ended.missed = 3
    return [refused, ended]
  }

  private static func explanation(_ fill: (inout AccessExplanation) -> Void) -> AccessExplanation {
    var explanation = AccessExplanation()
    fill(&explanation)
    return explanation
  }

  private static var forwardedSet: ForwardedWrite {
    ForwardedWrite(
      ticket: 7, claim: 1, timeLeft: 2000, writer: Peer(pid: 4711, uid: 1000, gid: 100), client: "example",
      operations: [
        ForwardedOperation(
          .set, try! StoreName("display.brightness"), revision: 1003, version: 10, value: .integer(80))
      ])
  }

  private static var forwardedEnd: ForwardedWrite {
    ForwardedWrite(
      ticket: 8, claim: 2, timeLeft: .max, writer: Peer(pid: 4242, uid: 990, gid: 990), client: "",
      operations: [
        ForwardedOperation(.remove, try! StoreName("net.lease"), revision: 1004, version: 1, value: nil)
      ], isEnd: true)
  }

  static let events: [String: HubEvent] = [
    "forward": .forward(forwardedSet),
    "forward-end": .forward(forwardedEnd),
    "ask": .ask(
      ForwardedRead(ticket: 9, claim: 1, timeLeft: 2000, name: try! StoreName("display.brightness"))),
    "withdraw": .withdraw(ticket: 7, claim: 1, .timeIsOver),
    "change": .change(state(volume, 1005, 11, .integer(51)), grouped: false, more: false),
    "change-more": .change(state(volume, 1006, 12, .integer(52)), grouped: true, more: true),
    "change-last": .change(state(muted, 1006, 4, .boolean(false)), grouped: true, more: false),
    "created": .created(
      name: "audio.bass",
      Schema(type: .double, initial: .double(0), minimum: .double(-1), maximum: .double(1)),
      state(StoreID(raw: 0x500_0004), 1007, 1, .double(0)), grouped: false, more: false),
    "created-grouped": .created(
      name: "audio.mode", Schema(type: .string),
      state(StoreID(raw: 0x600_0005), 1008, 1, .string("on")), grouped: true, more: true),
    "created-transient": .created(
      name: "here.me", Schema(type: .boolean), state(StoreID(raw: 0x400_0003), 1004, 1, .boolean(true)),
      transient: true),
    "removed": .removed(
      name: "audio.bass", removal(0x500_0004, 1009), grouped: false, more: false),
    "removed-grouped": .removed(
      name: "audio.mode", removal(0x600_0005, 1010), grouped: true, more: true),
    "current": .current(name: "audio.volume", state(volume, 1006, 12, .integer(52))),
    "current-overdue": .current(name: "audio.volume", told(.begun, state(volume, 1006, 12, .integer(52)))),
    "current-written": .current(name: "audio.volume", told(.ended, state(volume, 1006, 12, .integer(52)))),
    "synced": .synced(revision: 1006),
    "resumed": .resumed(revision: 1003),
    "forget": .forget(epoch, revision: 1006),
    "ended": .ended(.shuttingDown, message: "the hub is stopping"),
  ]

  private static func told(_ silence: Silence, _ state: StoreState) -> StoreState {
    var state = state
    state.silence = silence
    return state
  }
}
