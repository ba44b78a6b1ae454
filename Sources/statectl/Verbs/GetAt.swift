// `statectl get --at`: values as they were at a revision.

internal import HubCore

struct GetAtCommand: HubCommand {
  private let names: [StoreName]
  private let word: RevisionWord
  private let printsRevision: Bool
  private let json: Bool

  init(_ words: CommandLineWords, at word: RevisionWord) throws(Failure) {
    var names: [StoreName] = []
    for index in words.operands.indices { names.append(try words.storeName(index)) }
    self.names = names
    self.word = word
    printsRevision = words.has(.showRevision)
    json = words.has(.json)
  }

  /// Prints the stores that there were, then fails with `noSuchStore` if any is missing.
  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    var isMissing = false
    for name in names {
      guard let state = try state(of: name, &client) else {
        isMissing = true
        try output.flush()
        let reason = "there was no such store at revision \(word.revision)"
        Failure.hub(HubError(.noSuchStore, store: name.text, reason)).complain()
        continue
      }
      if json {
        try output.json { $0.members(of: state, named: name.text) }
        continue
      }
      let isOne = names.count == 1
      try output.write((isOne ? "" : name.text + "\t") + (printsRevision ? "\(state.revision)\t" : ""))
      if isOne { try output.value(state.value) } else { try output.line(ValueText.line(state.value)) }
    }
    if isMissing { throw .status(ExitStatus.noSuchStore) }
  }

  private func state(of name: StoreName, _ client: inout Client) throws(Failure) -> StoreState? {
    let revision = word.revision
    let now = try current(name, &client)
    guard case .pong(let newest) = try client.ask(.ping) else { throw .strangeAnswer }
    if let epoch = client.welcome?.epoch { try word.check(epoch) }
    guard revision <= newest else { throw KeptHistory.future(newest, of: name) }
    // What has not changed since needs no history.
    if let now, now.revision <= revision { return now }
    var history = try KeptHistory(of: NamePattern(name), &client)
    return try history.value(of: name, at: revision, now: now, &client).flatMap { change in
      change.value.map {
        StoreState(
          id: change.id, revision: change.revision, version: change.version, time: change.time,
          uid: change.uid,
          value: $0)
      }
    }
  }

  private func current(_ name: StoreName, _ client: inout Client) throws(Failure) -> StoreState? {
    do throws(Failure) {
      guard case .value(let state) = try client.ask(.get(.name(name))) else { throw .strangeAnswer }
      return state
    } catch {
      guard error.isHub(.noSuchStore) else { throw error }
      return nil
    }
  }
}
