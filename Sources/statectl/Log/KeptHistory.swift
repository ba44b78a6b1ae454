// The history that the hub has kept, fetched page by page, and the verbs' queries on it. It keeps no page.

internal import HubCore

struct KeptHistory {
  private let pattern: NamePattern
  /// The hub's revision at the request for the first page: later changes are left out, so that reading ends.
  private let revision: Revision
  /// All changes after this revision were available when the last page was requested.
  private(set) var floor: Revision
  private var upcoming: Upcoming

  private enum Upcoming {
    case page(LogPage)
    case place(LogPlace)
    case nothing
  }

  /// Some changes, in their order.
  struct Part {
    let changes: [LoggedChange]
    /// Changes between the previous part and this one were dropped while reading.
    let followsGap: Bool
  }

  /// - Parameter since: only changes after this revision.
  init(of pattern: NamePattern, since: Revision = 0, _ client: inout Client) throws(Failure) {
    self.pattern = pattern
    let page = try KeptHistory.page(of: pattern, from: LogPlace(revision: since + 1), &client)
    (floor, revision, upcoming) = (page.floor, page.revision, .page(page))
  }

  private static func page(
    of pattern: NamePattern, from place: LogPlace, _ client: inout Client
  ) throws(Failure) -> LogPage {
    guard case .logged(let page) = try client.ask(.log(pattern, from: place)) else { throw .unexpectedReply }
    return page
  }

  /// The next changes; nil: there are no more.
  mutating func next(_ client: inout Client) throws(Failure) -> Part? {
    let page: LogPage
    var followsGap = false
    switch upcoming {
    case .page(let first): page = first
    case .place(let place):
      page = try KeptHistory.page(of: pattern, from: place, &client)
      followsGap = page.floor >= place.revision
      floor = page.floor
    case .nothing: return nil
    }
    upcoming = .nothing
    if let next = page.next, next.revision <= revision { upcoming = .place(next) }
    return Part(changes: page.changes.filter { $0.revision <= revision }, followsGap: followsGap)
  }

  /// - Throws: `outOfRange` if a change after this revision is no longer kept, if the hub has not reached it, or if it
  ///   belongs to another epoch.
  func check(since word: RevisionWord, _ client: borrowing Client) throws(Failure) {
    if let epoch = client.welcome?.epoch { try word.check(epoch) }
    if word.revision > revision { throw KeptHistory.future(revision) }
    guard word.revision < floor else { return }
    throw KeptHistory.forgotten(floor, "not after \(word.revision)")
  }

  /// - Parameter missing: what is missing.
  static func forgotten(_ floor: Revision, _ missing: String) -> Failure {
    .hub(HubError(.outOfRange, "the hub has kept only changes after revision \(floor), \(missing)"))
  }

  /// The error for a revision above the hub's.
  static func future(_ newest: Revision, of name: StoreName? = nil) -> Failure {
    .hub(HubError(.outOfRange, store: name?.text, "the hub is only at revision \(newest)"))
  }

  /// What a store's value was at a revision; nil: there was no such store. This is the history of the store.
  ///
  /// - Parameters:
  ///   - now: the store as it is.
  /// - Throws: `outOfRange` if it is no longer known, or not yet.
  mutating func value(
    of name: StoreName, at revision: Revision, now: StoreState?, _ client: inout Client
  ) throws(Failure) -> LoggedChange? {
    var last, next: LoggedChange?
    while let part = try self.next(&client) {
      if part.followsGap { (last, next) = (nil, nil) }
      last = part.changes.last { $0.revision <= revision } ?? last
      next = next ?? part.changes.first { $0.revision > revision }
    }
    if let last { return last.kind == .removed ? nil : last }
    // The first change after it shows the previous state only if it created the store.
    let wasAbsent = next.map { $0.version == 1 && $0.kind == .created } ?? (now == nil)
    guard revision >= floor, wasAbsent else {
      throw .hub(
        HubError(
          .outOfRange, store: name.text,
          "its value at revision \(revision) is unknown: the hub has kept only changes after revision \(floor)"
        ))
    }
    return nil
  }
}
