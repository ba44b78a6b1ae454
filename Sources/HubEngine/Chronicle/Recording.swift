// Records each change with its writer, and the hub's own changes for monitors. Answers requests for the history, according to access rights.

import HubCore

extension HubEngine {
  /// A store was changed. Its frame is in the change log.
  @inline(never)
  mutating func chronicle(_ slot: Int, _ kind: EventKind, by session: SessionID?) {
    if session == nil, attention.isMonitored { observe(slot, kind) }
    guard history.chronicle.isKept else { return }
    history.chronicle.append(
      kind, stores[slot], name: stores.name(of: slot), value: kind == .removed ? nil : stores.value(of: slot),
      pid: session.map { feed.sessions.peer(of: $0).pid } ?? 0,
      client: session.map { feed.sessions.name(of: $0) } ?? "", logHead: history.log.head)
  }

  /// The most changes in one reply to `log`.
  private static let mostLogged = 1000
  /// The work budget for reading records for one reply.
  private static let mostLogWork = 200_000

  mutating func tellLog(
    _ frame: FrameView, by session: SessionID, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = LogCommand(frame) else { throw HubError.malformed(frame) }
    let pattern = try NamePattern(command.pattern)
    guard history.chronicle.isKept else {
      throw HubError(.notSupported, "the hub keeps no history: set historyBytes in its configuration")
    }
    let audience = feed.sessions.audience(of: session)
    // As for `clients`: with rules, users see only their own processes.
    let seesAll = audience == Permissions.everything
    let isLimited = stores.permissions.limit(of: audience) != nil
    let uid = feed.sessions.peer(of: session).uid
    let floor = history.chronicle.floor ?? history.revision
    var page = LogPage(floor: floor, revision: history.revision)
    let limit = min(Int(max(1, command.limit)), HubEngine.mostLogged)
    var place = LogPlace(revision: command.from.revision, skip: 0)
    var skip = command.from.revision > floor ? command.from.skip : 0
    var (skipped, looked, bytes) = (0, 0, 0)
    history.chronicle.forEach(from: command.from.revision) { frame in
      let revision = EventLayout.revision(of: frame)
      if revision != place.revision {
        if revision > command.from.revision { skip = 0 }
        place = LogPlace(revision: revision, skip: 0)
      }
      if page.changes.count >= limit || bytes > HubEngine.pageBytes || looked >= HubEngine.mostLogWork {
        page.next = place
        return false
      }
      place.skip += 1
      // Content of earlier pages does not count; otherwise a long transaction would never end.
      if place.skip <= skip {
        skipped += 1
        return true
      }
      let name = ChronicleRecord.name(of: frame)
      looked += Cost.match(name.count, pattern)
      guard pattern.matches(name), let record = ChronicleRecord(frame),
        stores.permissions.mayRead(name, createdBy: record.creator, audience)
      else { return true }
      var change = record.change
      if !seesAll, isLimited || change.uid != uid { (change.pid, change.client) = (0, "") }
      page.changes.append(change)
      bytes += frame.bytes.count
      return true
    }
    work &+= Cost.passed * skipped + looked + Cost.entry * page.changes.count + Cost.bytes(bytes)
    Reply.logged(page).encode(into: &replies, request: frame.request)
  }
}

extension Permissions {
  /// Whether an audience may read a store of that name and creator, also one that is gone.
  fileprivate func mayRead(_ name: ByteView, createdBy creator: UInt32, _ audience: AudienceIndex) -> Bool {
    audience == Permissions.everything
      || rights(of: audience, rule: rule(for: name), createdBy: creator).contains(.read)
  }
}
