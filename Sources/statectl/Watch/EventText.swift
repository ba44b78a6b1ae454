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
  mutating func members(of event: StoreEvent) {
    if event.kind.isAboutStore {
      member("name", event.name)
      key("value")
      if let value = event.value { self.value(value) } else { null() }
    }
    member("revision", event.revision)
    member("kind", event.kind.name)
    guard event.kind.isAboutStore else { return }
    key("skipped")
    if let skipped = event.skipped { raw(String(skipped).utf8) } else { null() }
    key("time")
    if event.time != 0 { string(TimeText.rfc3339(event.time)) } else { null() }
  }
}
