// An event of a watch as a line.

internal import HubCore

extension StoreEvent.Kind {
  var name: String {
    switch self {
    case .initial: "initial"
    case .changed: "changed"
    case .removed: "removed"
    case .resumed: "resumed"
    case .synced: "synced"
    case .reset: "reset"
    }
  }
}

extension JSONWriter {
  /// - Parameter kind: the name of the event's kind; nil: its own.
  mutating func members(of event: StoreEvent, kind: String? = nil) {
    let isAboutStore = event.kind.isAboutStore || kind != nil
    if isAboutStore {
      member("name", event.name)
      key("value")
      if let value = event.value { self.value(value, json: .asValue) } else { null() }
    }
    member("revision", event.revision)
    member("kind", kind ?? event.kind.name)
    guard isAboutStore else { return member("epoch", event.epoch.description) }
    key("skipped")
    if let skipped = event.skipped { raw(String(skipped).utf8) } else { null() }
    key("time")
    if event.time != 0 { string(TimeText.rfc3339(event.time)) } else { null() }
    if event.isWithdrawn { member("withdrawn", true) }
  }
}
