// `statectl get --at`: values as they were at a revision.

internal import HubCore

extension Get {
  /// Prints the stores that existed, then fails with `noSuchStore` if any is missing.
  static func values(_ words: CommandLineWords, at word: RevisionWord) throws(Failure) -> HubCommand {
    let names = try words.storeNames()
    var printer = try ValuePrinter(words, isAlone: names.count == 1)
    return { client, output throws(Failure) in
      for name in names {
        if let state = try client.state(of: name, at: word) {
          try printer.show(name.text, state, to: &output)
        } else {
          let reason = "there was no such store at revision \(word.revision)"
          try printer.miss(name.text, .hub(HubError(.noSuchStore, store: name.text, reason)), to: &output)
        }
      }
      try printer.finish()
    }
  }
}

extension Client {
  fileprivate mutating func state(of name: StoreName, at word: RevisionWord) throws(Failure) -> StoreState? {
    let revision = word.revision
    let now = try current(name)
    guard case .pong(let newest) = try ask(.ping) else { throw .unexpectedReply }
    if let epoch = welcome?.epoch { try word.check(epoch) }
    guard revision <= newest else { throw KeptHistory.future(newest, of: name) }
    // Unchanged stores need no history.
    if let now, now.revision <= revision { return now }
    var history = try KeptHistory(of: NamePattern(name), &self)
    return try history.value(of: name, at: revision, now: now, &self).flatMap { change in
      change.value.map {
        StoreState(
          id: change.id, revision: change.revision, version: change.version, time: change.time,
          uid: change.uid,
          value: $0)
      }
    }
  }

  private mutating func current(_ name: StoreName) throws(Failure) -> StoreState? {
    do throws(Failure) {
      guard case .value(let state) = try ask(.get(.name(name))) else { throw .unexpectedReply }
      return state
    } catch {
      guard error.isHub(.noSuchStore) else { throw error }
      return nil
    }
  }
}
