// The requests that only read: get, describe, list, clients. They change nothing but the order that lists walk.

package import HubCore

extension HubEngine {
  mutating func get(
    _ frame: FrameView, for audience: AudienceIndex, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = GetCommand(frame) else { throw HubError.malformed(frame) }
    let slot = try slot(of: command.store, for: audience, to: .read)
    let value = stores.value(of: slot)
    let length = EventLayout.body + value.encodedLength
    let reply = replies.extend(length)
    stores[slot].writePrefix(
      to: reply, ReplyKind.value.rawValue, flags: 0, request: frame.request, length: length)
    value.write(to: reply + EventLayout.body)
  }

  /// Keeps what a connection has not taken of a reply to `get` where it is, in the store: nil if the store has another value by
  /// now, or if it is not worth it.
  ///
  /// - Parameters:
  ///   - count: how many bytes are left, at the reply's end.
  ///   - reply: may be any.
  package func holdRest(_ count: Int, of reply: FrameView) -> FrameRest? {
    guard reply.rawKind == ReplyKind.value.rawValue,
      let slot = stores.find(StoreID(raw: reply.bytes[EventLayout.store])),
      stores[slot].revision == reply.bytes[EventLayout.revision]
    else { return nil }
    let value = stores.value(of: slot).bytes
    guard count <= value.count, let frame = stores.holdValue(of: slot) else { return nil }
    assert(value.equals(reply.bytes.suffix(from: reply.bytes.count - value.count)), "another value")
    return FrameRest(frame, count: count, isReply: true)
  }

  func state(of slot: Int) -> StoreState {
    let record = stores[slot]
    return StoreState(
      id: record.id, revision: record.revision, version: record.version, time: record.time, uid: record.uid,
      value: stores.value(of: slot).value)
  }

  mutating func describe(
    _ frame: FrameView, by session: SessionID, now: Instant, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = DescribeCommand(frame) else { throw HubError.malformed(frame) }
    let slot = try slot(of: command.store, by: session, to: .read)
    let record = stores[slot]
    var effort = Effort(.max)
    let watchers = feed.patterns.watchCount(of: slot, in: stores, &effort)
    work &+= effort.spent
    let description = StoreDescription(
      name: stores.name(of: slot).text, state: state(of: slot), schema: stores.schema(of: slot),
      durability: record.durability, declared: record.isDeclared,
      watchers: watchers,
      ttl: record.deadline == 0 ? nil : (max(record.deadline, now.boot) - now.boot) / 1_000_000,
      owner: record.owner < 0 ? nil : record.owner)
    Reply.described(description).encode(into: &replies, request: frame.request)
  }

  /// The entry that exceeds this ends a page, so that a page is shorter than the smallest possible maximum frame length.
  static let pageBytes = 48 << 10
  /// More than an entry takes besides its texts and its value.
  fileprivate static let entryBytes = 48
  fileprivate static let shownValueBytes = 256

  /// - Returns: whether the request is answered; if not, it takes another step.
  mutating func list(
    _ frame: FrameView, _ session: SessionID, _ effort: inout Effort, into replies: inout OutputBuffer
  ) throws(HubError) -> Bool {
    guard let command = ListCommand(frame) else { throw HubError.malformed(frame) }
    let pattern = try NamePattern(command.pattern)
    guard stores.completeNames(&effort) else { return false }
    var progress = ListProgress(after: pattern.start(after: Array(command.after.text.utf8)))
    if case .list(let begun) = feed.unfinished.removeValue(forKey: session) {
      progress = begun
      stores.accounts.refund(feed.charge(MemoryCost.list, of: session))
    }
    let audience = feed.sessions.audience(of: session)
    switch stores.fill(&progress, pattern, audience, Int(max(1, command.limit)), &effort) {
    case .spent:
      try feed.checkMemory(MemoryCost.list, for: session, &stores)
      stores.accounts.add(feed.charge(MemoryCost.list, of: session))
      feed.unfinished[session] = .list(progress)
      return false
    case .full: Reply.listed(progress.page, more: true).encode(into: &replies, request: frame.request)
    case .complete: Reply.listed(progress.page, more: false).encode(into: &replies, request: frame.request)
    }
    return true
  }

  mutating func clients(
    _ frame: FrameView, by session: SessionID, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = ClientsCommand(frame) else { throw HubError.malformed(frame) }
    var page: [ClientSummary] = []
    var bytes = 0
    var more = false
    var next = self.next(after: command.after, for: session)
    while let other = next {
      // A session without an origin begins the next page: by then the owner has looked the origin up.
      let isLater = !page.isEmpty && feed.sessions.origin(of: other) == nil
      if page.count >= command.most || bytes > HubEngine.pageBytes || isLater {
        more = true
        break
      }
      let summary = feed.sessions.summary(of: other)
      page.append(summary)
      bytes += HubEngine.entryBytes + summary.name.utf8.count
      for kind in ProgramKind.allCases { bytes += summary.origin[kind].utf8.count }
      next = self.next(after: other.raw, for: session)
    }
    // The owner looks at every session as well.
    work &+= Cost.entry * page.count + 2 * Cost.passed * Int(feed.sessions.limit)
    Reply.clients(page, more: more).encode(into: &replies, request: frame.request)
  }

  /// The most origins that are looked up for one request, each in about 20 µs.
  private static let mostOrigins = 16

  /// The next sessions that a `clients` request asks for and whose origin is not known yet.
  package func withoutOrigin(_ frame: FrameView, by session: SessionID) -> [SessionID] {
    guard let command = ClientsCommand(frame), feed.sessions[session].delivery != .greeting else { return [] }
    var found: [SessionID] = []
    var (next, count) = (self.next(after: command.after, for: session), 0)
    while let other = next, count < command.most, found.count < HubEngine.mostOrigins {
      if feed.sessions.origin(of: other) == nil { found.append(other) }
      next = self.next(after: other.raw, for: session)
      count += 1
    }
    return found
  }

  /// The next session in the order of `clients`. With access rules, a user sees only their own connections; at an additional
  /// socket only those at the same socket.
  private func next(after last: Int32, for session: SessionID) -> SessionID? {
    let audience = feed.sessions.audience(of: session)
    let seesAll = audience == Permissions.everything
    let isLimited = stores.permissions.limit(of: audience) != nil
    let uid = feed.sessions.peer(of: session).uid
    var index = max(0, Int(last) + 1)
    while index < Int(feed.sessions.limit) {
      let other = SessionID(raw: Int32(index))
      index += 1
      guard feed.sessions.isOpen(other), seesAll || feed.sessions.peer(of: other).uid == uid,
        !isLimited || feed.sessions.audience(of: other) == audience
      else { continue }
      return other
    }
    return nil
  }
}

extension ClientsCommand {
  /// The most connections on a page.
  fileprivate var most: Int { min(Int(max(1, limit)), 500) }
}

extension NamePattern {
  /// What all names begin with that it can match; none of them is shorter.
  fileprivate var stem: ArraySlice<UInt8> { literalPrefix.dropLast() }

  /// The later of a name and the last text before all that begin with the stem: no byte of a name is 0xFF.
  fileprivate func start(after name: [UInt8]) -> [UInt8] {
    var start = Array(stem)
    guard let last = start.popLast() else { return name }
    start += [last - 1, 0xFF]
    return start.lexicographicallyPrecedes(name) ? name : start
  }
}

extension Stores {
  fileprivate enum Filling {
    /// There are more stores than fit.
    case full
    case complete
    case spent
  }

  fileprivate func fill(
    _ progress: inout ListProgress, _ pattern: NamePattern, _ audience: AudienceIndex, _ limit: Int,
    _ effort: inout Effort
  ) -> Filling {
    var result = Filling.complete
    var last = -1
    let after = progress.after
    let stem = pattern.stem
    after.withByteView { after in
      walk(after: after) { slot in
        // All further names are beyond those that it can match.
        guard name(of: slot).buffer.starts(with: stem) else { return false }
        if effort.isSpent {
          result = .spent
          return false
        }
        effort.spend(Cost.match(name(of: slot).count, pattern))
        guard pattern.matches(name(of: slot)), isVisible(slot, to: audience) else {
          last = slot
          return true
        }
        if progress.page.count >= limit || progress.bytes > HubEngine.pageBytes {
          result = .full
          return false
        }
        last = slot
        effort.spend(Cost.entry)
        append(slot, to: &progress)
        return true
      }
    }
    if result == .spent, last >= 0 { progress.after = Array(name(of: last).buffer) }
    return result
  }

  private func append(_ slot: Int, to progress: inout ListProgress) {
    let record = self[slot]
    let value = value(of: slot)
    progress.page.append(
      StoreSummary(
        name: name(of: slot).text, id: record.id, type: record.type, declared: record.isDeclared,
        revision: record.revision, version: record.version, time: record.time,
        length: UInt32(value.bytes.count),
        value: value.bytes.count <= HubEngine.shownValueBytes ? value.value : nil))
    progress.bytes +=
      HubEngine.entryBytes + name(of: slot).count + min(value.bytes.count, HubEngine.shownValueBytes)
  }
}
