// `statectl get --at`: values as they were at a revision.

internal import HubCore

struct GetAtCommand: HubCommand {
  private let names: [StoreName]
  private let word: RevisionWord
  private let printer: ValuePrinter

  init(_ words: CommandLineWords, at word: RevisionWord) throws(Failure) {
    names = try words.storeNames()
    self.word = word
    printer = try ValuePrinter(words, isAlone: names.count == 1)
  }

  /// Prints the stores that existed, then fails with `noSuchStore` if any is missing.
  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    var printer = printer
    for name in names {
      if let state = try state(of: name, &client) {
        try printer.show(name.text, state, to: &output)
      } else {
        let reason = "there was no such store at revision \(word.revision)"
        try printer.miss(name.text, .hub(HubError(.noSuchStore, store: name.text, reason)), to: &output)
      }
    }
    try printer.finish()
  }

  private func state(of name: StoreName, _ client: inout Client) throws(Failure) -> StoreState? {
    let revision = word.revision
    let now = try current(name, &client)
    guard case .pong(let newest) = try client.ask(.ping) else { throw .unexpectedReply }
    if let epoch = client.welcome?.epoch { try word.check(epoch) }
    guard revision <= newest else { throw KeptHistory.future(newest, of: name) }
    // Unchanged stores need no history.
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
      guard case .value(let state) = try client.ask(.get(.name(name))) else { throw .unexpectedReply }
      return state
    } catch {
      guard error.isHub(.noSuchStore) else { throw error }
      return nil
    }
  }
}
