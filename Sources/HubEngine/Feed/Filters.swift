// Owns what is held back from sessions with a filter: the last value sent for each store, and until when each session rests.
//
// Such a session never takes part in the fan-out of a turn. A change wakes it from its patterns' watcher lists; it catches up with the newest values
// that its filter lets through. If it was sent anything and has an interval, it rests: it is in
// no list, so changes cost nothing for it, until its interval ends and it catches up again. A condition alone is compared with each
// change in the log, as far as that reaches; see `ConditionGroups` for what that costs.

import HubCore

/// What a session was sent last of a store, as far as its filter compares with it.
struct SentValue {
  /// With a deadband, if it was one.
  var number: Value?
  /// Whether it met the condition; nil: it cannot be compared.
  var met: Bool?

  init(number: Value?, met: Bool?) { (self.number, self.met) = (number, met) }

  init(_ value: ValueView, _ filter: WatchFilter) {
    self.init(
      number: filter.deadband != nil && value.type.isNumber ? value.value : nil,
      met: filter.condition?.holds(for: value))
  }

  /// Nil if the frame has no value.
  fileprivate init?(_ frame: FrameView, _ filter: WatchFilter) {
    guard let kind = EventKind(rawValue: frame.rawKind), kind != .removed else { return nil }
    var reader = ByteReader(frame.bytes.suffix(from: EventLayout.body))
    if kind != .change { _ = reader.shortBytes() }
    if kind == .created, reader.schema() == nil { return nil }
    guard let value = ValueView(reading: &reader) else { return nil }
    self.init(value, filter)
  }

  fileprivate var isEmpty: Bool { number == nil && met == nil }
}

/// The filter of a session's watches, and what it is decided by.
struct SessionFilter {
  let filter: WatchFilter
  /// By the raw numbers of their stores.
  private(set) var sent: [UInt64: SentValue] = [:]
  /// Nothing is sent before, unless a watch begins. In CLOCK_BOOTTIME nanoseconds.
  var restsUntil: UInt64 = 0
  /// What is charged to its user: as of the last time that it was sent anything.
  fileprivate(set) var charged = 0
  /// Nil: it has none.
  var deadlines: SessionDeadlines?

  init(_ filter: WatchFilter, restsUntil: UInt64 = 0) {
    self.filter = filter
    if filter.deadline > 0 { deadlines = SessionDeadlines(length: UInt64(filter.deadline) * 1_000_000) }
    self.restsUntil = restsUntil
  }

  /// Its interval begins. Intervals end at whole eighths of their length, so that the hub wakes up once for many sessions; one
  /// that follows another directly begins when that was to end.
  fileprivate mutating func rest(from clock: UInt64) {
    let length = UInt64(filter.milliseconds) * 1_000_000
    let grain = length / 8
    let start = clock >= restsUntil && clock - restsUntil < grain ? restsUntil : clock
    restsUntil = (start + length + grain - 1) / grain * grain
  }

  func memory(watches: Int) -> Int {
    MemoryCost.filter + MemoryCost.sentValue * sent.count
      + MemoryCost.deadline * (deadlines?.stores.count ?? 0)
      + (filter.condition.map { MemoryCost.condition($0, watches: watches) } ?? 0)
  }

  /// Everything will be sent again.
  fileprivate mutating func startOver() { sent.removeAll() }

  mutating func note(_ value: SentValue, of store: UInt64) { sent[store] = value.isEmpty ? nil : value }

  /// The session is sent this frame.
  fileprivate mutating func note(_ frame: FrameView) {
    switch EventKind(rawValue: frame.rawKind) {
    case .current, .change, .created, .removed:
      guard filter.compares else { return }
      note(SentValue(frame, filter) ?? SentValue(number: nil, met: nil), of: frame.bytes[EventLayout.store])
    default: break
    }
  }

  /// Whether the condition holds for both, or for neither.
  fileprivate func isSettled(_ new: SentValue, after last: SentValue) -> Bool {
    new.met != nil && new.met == last.met
  }
}

extension Feed {
  @inline(__always)
  func isFiltered(_ session: SessionID) -> Bool { sessions[session].policy == .filtered }

  /// When the next session has rested long enough, or has a store that may be overdue; `.max`: there is none.
  var nextAlarm: UInt64 { min(resting.first?.time ?? .max, alarms.first?.time ?? .max) }

  /// The filter of a session's watches begins, or ends with the last of them.
  mutating func beginFilter(_ filter: SessionFilter, of session: SessionID, _ stores: inout Stores) {
    filters[session] = filter
    chargeFilter(of: session, &stores)
  }

  mutating func endFilter(of session: SessionID, _ stores: inout Stores) {
    var effort = Effort(.max)
    _ = endDeadlines(of: session, &effort)
    guard let filter = filters.removeValue(forKey: session) else { return }
    resting.remove(session)
    stores.accounts.refund(charge(filter.charged, of: session))
  }

  /// A batch begins for a session with a filter.
  mutating func beginFiltered() {
    walked.removeAll(keepingCapacity: true)
    marked.removeAll(keepingCapacity: true)
  }

  /// Brings what the session's user is charged up to date.
  mutating func chargeFilter(of session: SessionID, _ stores: inout Stores) {
    guard let filter = filters[session] else { return }
    let memory = filter.memory(watches: sessions.watchCount(of: session))
    if memory == filter.charged { return }
    stores.accounts.replace(charge(filter.charged, of: session), by: charge(memory, of: session))
    filters[session]?.charged = memory
  }

  /// Whether the session's filter leaves out the newest value of a store that it has been sent before. A deadband never leaves
  /// out the initial value, to which `reset` and the end of a lifetime lead.
  func leavesOut(_ slot: Int, for session: SessionID, _ stores: borrowing Stores) -> Bool {
    let store = stores[slot].id.raw
    guard let filter = filters[session], let last = filter.sent[store] else { return false }
    if needs(store, session) { return false }
    let view = stores.value(of: slot)
    if filter.isSettled(SentValue(view, filter.filter), after: last) { return true }
    guard let deadband = filter.filter.deadband, let number = last.number else { return false }
    let value = view.value
    return !deadband.isLeft(from: number, to: value)
      && (value == number || stores.schema(of: slot).initial != value)
  }

  /// Whether the filter of a session that compares each change leaves out this one. If not, it is part of the batch.
  mutating func leavesOut(_ frame: FrameView, for session: SessionID) -> Bool {
    guard let filter = filters[session], let new = SentValue(frame, filter.filter) else { return false }
    let store = frame.bytes[EventLayout.store]
    if let last = walked[store] ?? filter.sent[store], filter.isSettled(new, after: last) { return true }
    walked[store] = new
    return false
  }

  /// So many changes of a turn are looked at before the session is woken.
  private static let mostCompared = 64

  /// Whether the filter of a live session leaves out everything that the turn has changed of a pattern's stores.
  private func leavesOutTurn(
    of pattern: Int32, for session: SessionID, _ history: borrowing History, _ stores: borrowing Stores,
    _ work: inout Int
  ) -> Bool {
    let count = patterns[pattern].turn.count
    guard count <= Feed.mostCompared, let filter = filters[session], filter.filter.compares else {
      return false
    }
    for index in 0..<count {
      let entry = patterns[pattern].turn[index]
      work &+= Cost.passed
      if entry.isRequired { return false }
      guard filter.filter.comparesEach else {
        if !leavesOut(Int(entry.slot), for: session, stores) { return false }
        continue
      }
      guard let bytes = history.log.frame(endingAt: entry.end, length: Int(entry.length)),
        let new = SentValue(FrameView(bytes: bytes), filter.filter),
        let last = filter.sent[bytes[EventLayout.store]], filter.isSettled(new, after: last)
      else { return false }
    }
    return true
  }

  /// Something has changed for a session that is live, in stores of several patterns, or of this one.
  mutating func wakeFiltered(
    _ session: SessionID, _ pattern: Int32, _ history: inout History, _ stores: inout Stores,
    _ work: inout Int
  ) -> ByteView {
    // It may have caught up in this turn, and may now lead others.
    let hasAll = sessions[session].position >= history.log.head
    if !hasNews(session),
      hasAll || pattern >= 0 && leavesOutTurn(of: pattern, for: session, history, stores, &work)
    {
      sessions[session].position = history.log.head
      sessions[session].dueIndex = Subscriber.notDue
      return nothing
    }
    wakeLed(by: session, history.turn, &work)
    // It leaves the lists of all of its patterns, and joins them again.
    work &+= 2 &* Cost.membership &* sessions.watchCount(of: session)
    stopLive(session, from: history.turn.start)
    return catchUp(session, &history, &stores, &work)
  }

  /// The session's connection has taken so much of what was assembled for it, and will get the rest of the frame in which
  /// that ends. With the last one its interval begins.
  mutating func noteFiltered(_ count: Int, to session: SessionID, _ stores: inout Stores) {
    guard count > 0, let filter = filters[session]?.filter else { return }
    var (frames, end) = (FrameCursor(scratch.view), 0)
    while end < count, let frame = frames.next() {
      end += frame.bytes.count
      filters[session]?.note(frame)
      if filter.deadline > 0 { noteDeadline(frame, to: session) }
    }
    if end == scratch.count, filter.milliseconds > 0 { filters[session]?.rest(from: clock) }
    chargeFilter(of: session, &stores)
  }

  /// Lets a session that has everything rest until its interval ends.
  ///
  /// - Returns: whether there is an interval that has not ended.
  mutating func rest(_ session: SessionID) -> Bool {
    guard let end = filters[session]?.restsUntil, end > clock else { return false }
    stayWhole(session, as: .resting)
    resting.set(session, to: end)
    return true
  }

  /// The sessions whose intervals have ended catch up. What they have missed, if anything, is found then.
  mutating func wakeRested(_ effort: inout Effort) {
    while let first = resting.first, first.time <= clock, !effort.isSpent {
      resting.remove(first.key)
      sessions.move(first.key, to: .behind)
      enqueue(first.key)
      effort.spend(Cost.found)
    }
  }

  mutating func forgetSent(_ session: SessionID) { filters[session]?.startOver() }
}
