// The program on a terminal: what a state looks like, and which actions a line means.

import FoundationEssentials
import HubReducers

extension SyncUps.State {
  /// What is on the screen.
  var text: String {
    if let alert {
      let buttons = alert.buttons.map { "[\($0.label)]" }.joined(separator: " ")
      return "\(alert.title) \(buttons)"
    }
    switch path.last {
    case .record(let record):
      let attendees = record.syncUp.attendees
      let name = attendees[min(record.speaker, attendees.count - 1)].name
      return "\(record.syncUp.title), \(record.seconds) s: \(name) speaks\n\(record.transcript)"
    case .detail(let detail):
      return "\(detail.syncUp.line)\n" + detail.syncUp.meetings.map { "- \($0.transcript)\n" }.joined()
    case nil:
      return list.syncUps.enumerated().map { "\($0 + 1). \($1.line)\n" }.joined()
    }
  }

  /// The actions that a line means: a button's label where a question is asked, otherwise a command.
  func actions(_ line: String) -> [SyncUps.Action] {
    if let alert {
      var chosen: [SyncUps.Action] = []
      for button in alert.buttons where "\(button.label)" == line {
        button.withAction { if let action = $0 { chosen.append(action) } }
      }
      return chosen
    }
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let (command, argument) = (words.first, words.dropFirst().first ?? "")
    guard let id = path.ids.last else {
      let syncUp = Int(argument).flatMap {
        list.syncUps.indices.contains($0 - 1) ? list.syncUps[$0 - 1] : nil
      }
      switch command {
      case "add":
        let typed = edits(argument).map { SyncUpsList.Action.form(.presented($0)) }
        return ([.addTapped] + typed + [.addConfirmed]).map { .list($0) }
      case "open": return syncUp.map { [.opened($0.id)] } ?? []
      case "remove": return syncUp.map { [.list(.removed($0.id))] } ?? []
      default: return []
      }
    }
    if command == "back" { return [.path(.popFrom(id: id))] }
    switch (path[id: id], command) {
    case (.detail, "edit"):
      let typed = edits(argument).map { SyncUpDetail.Action.destination(.presented(.form($0))) }
      return ([.editTapped] + typed + [.editConfirmed]).map { .path(.element(id: id, action: .detail($0))) }
    case (.detail, "meet"): return [.path(.element(id: id, action: .detail(.meetTapped)))]
    case (.detail, "delete"): return [.path(.element(id: id, action: .detail(.deleteTapped)))]
    case (.record, "next"): return [.path(.element(id: id, action: .record(.nextTapped)))]
    case (.record, "end"): return [.path(.element(id: id, action: .record(.endTapped)))]
    default: return []
    }
  }

  /// The question on top, with the actions of the whole program.
  private var alert: AlertState<SyncUps.Action>? {
    guard let id = path.ids.last else { return nil }
    switch path[id: id] {
    case .detail(let detail):
      return detail.destination?.alert?.map { action in
        let chosen: PresentationAction<SyncUpDetail.Destination.Action> =
          action.map { .presented(.alert($0)) } ?? .dismiss
        return .path(.element(id: id, action: .detail(.destination(chosen))))
      }
    case .record(let record):
      return record.alert?.map { action in
        .path(.element(id: id, action: .record(.alert(action.map { .presented($0) } ?? .dismiss))))
      }
    case nil: return nil
    }
  }

  /// What typing `Design: Ann, Bob` changes in a form.
  private func edits(_ text: String) -> [SyncUpForm.Action] {
    let parts = text.split(separator: ":", maxSplits: 1)
    let names = (parts.dropFirst().first ?? "").split(separator: ",")
    let attendees = names.map { SyncUp.Attendee(id: UUID(), name: String($0.drop(while: \.isWhitespace))) }
    return [
      .set(\.syncUp.title, String(parts.first ?? "")),
      .set(\.syncUp.attendees, IdentifiedArray(uniqueElements: attendees)),
    ]
  }
}

extension SyncUp {
  fileprivate var line: String {
    "\(title): \(attendees.map(\.name).joined(separator: ", ")) (held: \(meetings.count))"
  }
}
