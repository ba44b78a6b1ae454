// A script: what a client receives, step by step. It says nothing about what the client makes of it.

public import HubCore
import TestSupport

struct ViewScript {
  enum Step {
    /// A new connection.
    case welcome(Epoch, Revision)
    /// The reply to a watch request. The watch has its own label, since its request's number may change.
    case watching(String, [NamePattern], Revision, schemas: Bool)
    case event(HubEvent)
    /// A frame of a kind that this version does not know.
    case unknown([UInt8])
    /// The reply to an unwatch.
    case unwatched(String)
    /// The connection is gone.
    case lost
  }

  var name: String
  /// What it shows, for people.
  var about: String
  private(set) var steps: [Step] = []

  init(_ name: String, _ about: String, _ body: (inout ViewScript) -> Void) {
    self.name = name
    self.about = about
    body(&self)
  }

  // MARK: Words for steps

  static let epoch = ProtocolVectors.epoch
  static let otherEpoch = Epoch(high: 0x0FED_CBA9_8765_4321, low: 1)

  mutating func welcome(_ revision: Revision, _ epoch: Epoch = epoch) {
    steps.append(.welcome(epoch, revision))
  }

  mutating func watching(_ watch: String, _ patterns: String..., at revision: Revision, schemas: Bool = false)
  {
    steps.append(.watching(watch, patterns.map { try! NamePattern($0) }, revision, schemas: schemas))
  }

  /// A client that has opened one watch on a new connection.
  mutating func open(_ watch: String, _ patterns: String..., at revision: Revision) {
    welcome(revision)
    steps.append(.watching(watch, patterns.map { try! NamePattern($0) }, revision, schemas: false))
  }

  mutating func synced(_ revision: Revision) { steps.append(.event(.synced(revision: revision))) }
  mutating func resumed(_ revision: Revision) { steps.append(.event(.resumed(revision: revision))) }
  mutating func forget(_ revision: Revision, _ epoch: Epoch = epoch) {
    steps.append(.event(.forget(epoch, revision: revision)))
  }
  mutating func lost() { steps.append(.lost) }
  mutating func unwatched(_ watch: String) { steps.append(.unwatched(watch)) }
  mutating func unknown(_ kind: UInt8, _ payload: [UInt8]) { steps.append(.unknown(rawFrame(kind, payload))) }
  mutating func ended(_ reason: EndReason) {
    steps.append(.event(.ended(reason, message: "the hub is stopping")))
  }

  private static func state(_ store: UInt64, _ revision: Revision, _ version: UInt64, _ value: Value)
    -> StoreState
  {
    StoreState(
      id: StoreID(raw: store), revision: revision, version: version, time: ProtocolVectors.time, uid: 1000,
      value: value)
  }

  mutating func current(
    _ name: String, _ store: UInt64, _ revision: Revision, v version: UInt64, _ value: Value,
    _ silence: Silence? = nil
  ) {
    var state = ViewScript.state(store, revision, version, value)
    state.silence = silence
    steps.append(.event(.current(name: name, state)))
  }
  mutating func created(
    _ name: String, _ store: UInt64, _ revision: Revision, v version: UInt64 = 1, _ value: Value,
    schema: Schema? = nil, grouped: Bool = false, more: Bool = false, transient: Bool = false
  ) {
    steps.append(
      .event(
        .created(
          name: name, schema ?? Schema(type: value.type), ViewScript.state(store, revision, version, value),
          grouped: grouped, more: more, transient: transient)))
  }
  mutating func change(
    _ store: UInt64, _ revision: Revision, v version: UInt64, _ value: Value, grouped: Bool = false,
    more: Bool = false
  ) {
    steps.append(
      .event(.change(ViewScript.state(store, revision, version, value), grouped: grouped, more: more)))
  }
  /// Without flags; `more` is set for removals that are sent while a client catches up.
  mutating func removed(
    _ name: String, _ store: UInt64, _ revision: Revision, v version: UInt64, grouped: Bool = false,
    more: Bool = false
  ) {
    let removal = HubEvent.Removal(
      id: StoreID(raw: store), revision: revision, version: version, time: ProtocolVectors.time, uid: 1000)
    steps.append(.event(.removed(name: name, removal, grouped: grouped, more: more)))
  }
}

extension Value: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
}
