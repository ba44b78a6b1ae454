// A sync-up: a recurring meeting with its attendees. All sync-ups are one value of the hub.

import FoundationEssentials
import HubReducers

struct SyncUp: Codable, Equatable, Identifiable, Sendable {
  struct Attendee: Codable, Equatable, Identifiable, Sendable {
    let id: UUID
    var name = ""
  }

  struct Meeting: Codable, Equatable, Identifiable, Sendable {
    let id: UUID
    let date: Date
    let transcript: String
  }

  let id: UUID
  var title = ""
  var minutes = 5
  var attendees: IdentifiedArrayOf<Attendee> = []
  /// The newest first.
  var meetings: IdentifiedArrayOf<Meeting> = []

  var secondsPerAttendee: Int { max(1, minutes * 60 / max(1, attendees.count)) }

  /// Without the attendees that have no name; the first one stays if none has.
  var cleaned: SyncUp {
    var cleaned = self
    cleaned.attendees.removeAll { $0.name.allSatisfy(\.isWhitespace) }
    if cleaned.attendees.isEmpty, let first = attendees.first { cleaned.attendees.append(first) }
    return cleaned
  }
}

extension SharedKey where Self == HubKey<IdentifiedArrayOf<SyncUp>>.Default {
  /// The list that all processes show and change.
  static var syncUps: Self { Self[.hub("sync-ups"), default: []] }
}
