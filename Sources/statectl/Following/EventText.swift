// An event of a watch as a line.

internal import HubCore

extension JSONWriter {
  /// - Parameter kind: the name of the event's kind; nil: its own.
  mutating func members(of event: StoreEvent, kind: String? = nil) {
    let isAboutStore = event.kind.isAboutStore || kind != nil
    if isAboutStore {
      member("name", event.name)
      member("value", orNull: event.value)
    }
    member("revision", event.revision)
    member("kind", kind ?? "\(event.kind)")
    guard isAboutStore else { return member("epoch", event.epoch.description) }
    key("skipped")
    if let skipped = event.skipped { raw(String(skipped).utf8) } else { null() }
    key("time")
    if event.time != 0 { string(TimeText.rfc3339(event.time)) } else { null() }
    if event.isWithdrawn { member("withdrawn", true) }
    if event.isOverdue { member("overdue", true) }
  }
}
