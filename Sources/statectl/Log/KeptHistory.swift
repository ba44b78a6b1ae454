// What the hub has kept of its history, fetched page by page, and the questions that verbs have about it.

internal import HubCore

struct KeptHistory {
  /// All changes after this revision are there.
  let floor: Revision
  /// The hub's when the first page was asked for: what has changed since is left out, so that reading ends.
  let revision: Revision
  /// In their order.
  let changes: [LoggedChange]

  /// - Parameter since: only what was changed after this revision.
  init(of pattern: NamePattern, since: Revision = 0, _ client: inout Client) throws(Failure) {
    var page = try KeptHistory.page(of: pattern, from: LogPlace(revision: since + 1), &client)
    let revision = page.revision
    var changes = page.changes
    while let next = page.next, next.revision <= revision {
      page = try KeptHistory.page(of: pattern, from: next, &client)
      changes += page.changes
    }
    // What was lost while it was read leaves no gap.
    let floor = page.floor
    self.changes = changes.filter { $0.revision > floor && $0.revision <= revision }
    (self.floor, self.revision) = (floor, revision)
  }

  private static func page(
    of pattern: NamePattern, from place: LogPlace, _ client: inout Client
  ) throws(Failure) -> LogPage {
    guard case .logged(let page) = try client.ask(.log(pattern, from: place)) else { throw .strangeAnswer }
    return page
  }

  /// - Throws: `outOfRange` if something after this revision is not kept any more, or if the hub has not come so far.
  func check(since revision: Revision) throws(Failure) {
    if revision > self.revision { throw KeptHistory.future(self.revision) }
    guard revision < floor else { return }
    throw .hub(
      HubError(
        .outOfRange, "the hub has kept what was changed after revision \(floor), not after \(revision)"))
  }

  /// The answer to who asks for a revision above the hub's.
  static func future(_ newest: Revision, of name: StoreName? = nil) -> Failure {
    .hub(HubError(.outOfRange, store: name?.text, "the hub is at revision \(newest) only"))
  }

  /// What a store's value was at a revision; nil: there was no such store.
  ///
  /// - Parameters:
  ///   - now: the store as it is.
  ///   - newest: the hub's revision.
  /// - Throws: `outOfRange` if it is not known any more, or not yet.
  func value(of name: StoreName, at revision: Revision, now: StoreState?) throws(Failure) -> LoggedChange? {
    if let last = changes.last(where: { $0.revision <= revision && $0.name == name.text }) {
      return last.kind == .removed ? nil : last
    }
    // The first change after it says what was before only if it made the store.
    let next = changes.first { $0.name == name.text }
    let wasAbsent = next.map { $0.version == 1 && $0.kind == .created } ?? (now == nil)
    guard revision >= floor, wasAbsent else {
      throw .hub(
        HubError(
          .outOfRange, store: name.text,
          "its value at revision \(revision) is not known: the hub has kept what was changed after revision \(floor)"
        ))
    }
    return nil
  }
}
