// What the client library makes of a script: one `WatchView` per watch, and the map from numbers to names above them.

import HubCore
import TestSupport

struct ViewReference {
  private struct Watch {
    var patterns: [NamePattern]
    var view = WatchView()
    /// The hub has confirmed it on this connection.
    var isOpen = false
  }

  private var watches: [String: Watch] = [:]
  private var names: [StoreID: String] = [:]
  private var epoch: Epoch?
  private var lastConfirmed: String?
  /// Every change up to here was received on this connection.
  private var complete: Revision = 0

  /// Plays one step, and returns what is shown and known then.
  mutating func play(_ step: ViewScript.Step) -> JSONValue {
    var shown: [JSONValue] = []
    func show(_ label: String, _ event: StoreEvent?) {
      if let event { shown.append(event.shown(by: label)) }
    }
    let told: [(String, JSONValue?)]
    switch step {
    case .welcome(let epoch, let revision):
      if epoch != self.epoch { names = [:] }
      self.epoch = epoch
      complete = 0
      lastConfirmed = nil
      let welcome = Welcome(
        version: 1, capabilities: 0, epoch: epoch, revision: revision, maximumFrameLength: 1 << 20, pid: 4242,
        release: "1.0.0")
      told = ViewReference.told("welcome", Message.reply(.welcome(welcome), id: 1))
    case .watching(let label, let patterns, let revision, let schemas):
      var watch = watches[label] ?? Watch(patterns: patterns)
      let bookmark = watch.view.bookmark
      // The number is the label's index in the alphabet.
      let number = UInt32(label.unicodeScalars.first!.value - 63)
      let request = Request.watch(patterns, bookmark: bookmark, schemas: schemas)
      show(label, watch.view.open(epoch: epoch!))
      watch.isOpen = true
      watches[label] = watch
      lastConfirmed = label
      told =
        [
          ("watch", .text(label)), ("patterns", .list(patterns.map { .text($0.text) })),
          ("asks", .hex(Message.request(request, id: number).frame)),
          ("bookmark", bookmark.map { .bookmark($0) } ?? .null),
        ] + ViewReference.told("watching", Message.reply(.watching(revision: revision), id: number))
    case .event(let event):
      for (label, shownEvent) in receive(event) { show(label, shownEvent) }
      told = ViewReference.told("event", .event(event))
    case .unknown(let frame):
      told = [("step", "event"), ("hex", .hex(frame)), ("kind", .text("\(FrameKind(frame))"))]
    case .unwatched(let label):
      watches[label] = nil
      told = [("watch", .text(label))] + ViewReference.told("unwatched", Message.reply(.unwatched, id: 99))
    case .lost:
      for label in watches.keys where watches[label]!.isOpen {
        watches[label]!.view.advance(to: complete)
        watches[label]!.isOpen = false
      }
      told = [("step", "lost")]
    }
    return JSONValue.object([]).adding(told).adding([
      ("shows", .list(shown)),
      (
        "views",
        .object(watches.sorted { $0.key < $1.key }.map { ($0.key, ViewReference.known($0.value.view)) })
      ),
    ])
  }

  private static func told(_ step: String, _ message: Message) -> [(String, JSONValue?)] {
    [
      ("step", .text(step)), ("hex", .hex(message.frame)), ("kind", .text("\(FrameKind(message.frame))")),
      ("fields", message.innerFields),
    ]
  }

  // MARK: Events

  private mutating func receive(_ event: HubEvent) -> [(String, StoreEvent?)] {
    switch event {
    case .change(let state, _, _):
      guard let name = names[state.id] else { return [] }
      return deliver(event, name, state.revision)
    case .created(let name, _, let state, _, _, _), .current(let name, let state):
      names[state.id] = name
      return deliver(event, name, state.revision)
    case .removed(let name, let removal, _, _):
      defer { names[removal.id] = nil }
      return deliver(event, name, removal.revision)
    case .synced(let revision):
      complete = max(complete, revision)
      return apply(event) { _ in true }
    case .resumed:
      let confirmed = lastConfirmed
      return apply(event) { $0 == confirmed }
    case .forget:
      complete = 0
      return apply(event) { _ in true }
    case .ended, .forward, .withdraw, .ask: return []
    }
  }

  private mutating func deliver(_ event: HubEvent, _ name: String, _ revision: Revision) -> [(
    String, StoreEvent?
  )] {
    let store = try! StoreName(name)
    let concerned = watches.filter { $0.value.isOpen && $0.value.patterns.contains { $0.matches(store) } }
    if !concerned.isEmpty { complete = max(complete, revision - 1) }
    return apply(event) { concerned[$0] != nil }
  }

  private mutating func apply(_ event: HubEvent, to isMeant: (String) -> Bool) -> [(String, StoreEvent?)] {
    var shown: [(String, StoreEvent?)] = []
    for label in watches.keys.sorted() where watches[label]!.isOpen && isMeant(label) {
      shown.append((label, watches[label]!.view.apply(event)))
    }
    return shown
  }

  // MARK: What is known

  private static func known(_ view: WatchView) -> JSONValue {
    let stores = view.introduction().sorted { $0.name < $1.name }.map { event -> (String, JSONValue) in
      let state = view.state(of: event.name)!
      return (
        event.name,
        [
          "store": .number(state.id.raw), "revision": .number(state.revision),
          "version": .number(state.version),
          "value": .value(state.value),
        ]
      )
    }
    return [
      "synced": .flag(view.isSynced), "bookmark": view.bookmark.map { .bookmark($0) } ?? .null,
      "stores": .object(stores),
    ]
  }
}

extension StoreEvent {
  fileprivate func shown(by watch: String) -> JSONValue {
    let head: JSONValue = ["watch": .text(watch), "event": .text("\(kind)")]
    guard kind.isAboutStore else { return head.adding([("revision", .number(revision))]) }
    return head.adding([
      ("name", .text(name)), ("revision", .number(revision)), ("version", .number(version)),
      ("value", value.map { .value($0) }), ("skipped", skipped.map { .number($0) } ?? .null),
      ("overdue", isOverdue ? true : nil),
    ])
  }
}
