// Owns the deadlines of sessions with one in their filter: which of their stores are overdue, and what each session was sent about that.
//
// A silence starts at a store's first event, and again at each write. A write notes only its time, for stores that a client
// watches with a deadline; the alarm of a session finds it there and is set again. The write that ends a silence wakes only sessions that were
// notified of it, or may have been on an earlier connection.

import HubCore

/// What a session with a deadline keeps about a store that it was sent.
struct StoreDeadline {
  enum Told: UInt8 {
    /// The client takes the store to be in time.
    case nothing
    case overdue
    /// Its client may have been notified on an earlier connection.
    case unknown
  }

  /// The silence counts from here, in CLOCK_BOOTTIME nanoseconds, unless the store was written since.
  var start: UInt64
  var told: Told
  /// The session must be notified of it; it has no alarm.
  var isNews = false
  /// It is in the list of news.
  fileprivate var isListed = false

  init(start: UInt64, told: Told, isNews: Bool = false) {
    (self.start, self.told, self.isNews) = (start, told, isNews)
  }
}

/// The stores of a session with a deadline.
struct SessionDeadlines {
  /// In nanoseconds.
  let length: UInt64
  /// It began with a bookmark.
  var resumes = false
  private(set) var stores: [UInt64: StoreDeadline] = [:]
  /// When each store will be overdue at the earliest; `.max`: it is, or is news.
  private(set) var alarms = AlarmHeap<UInt64>()
  /// The stores that it must be notified of, the next one at the end; and others that are no longer news.
  private(set) var news: [UInt64] = []

  init(length: UInt64) { self.length = length }

  subscript(store: UInt64) -> StoreDeadline? { stores[store] }

  /// When a store is overdue, unless it is written before.
  ///
  /// - Parameter written: when it was written last; 0: not since it is watched.
  func end(of deadline: StoreDeadline, written: UInt64) -> UInt64 {
    let (end, overflow) = max(deadline.start, written).addingReportingOverflow(length)
    return overflow ? .max : end
  }

  mutating func set(_ store: UInt64, _ deadline: StoreDeadline, written: UInt64) {
    var deadline = deadline
    if deadline.isNews, !deadline.isListed { news.append(store) }
    deadline.isListed = deadline.isListed || deadline.isNews
    stores[store] = deadline
    let runs = !deadline.isNews && deadline.told != .overdue
    alarms.set(store, to: runs ? end(of: deadline, written: written) : .max)
    dropOldNews()
  }

  mutating func remove(_ store: UInt64) {
    guard stores.removeValue(forKey: store) != nil else { return }
    alarms.remove(store)
    dropOldNews()
  }

  private mutating func dropOldNews() {
    while let last = news.last, stores[last]?.isNews != true {
      stores[last]?.isListed = false
      news.removeLast()
    }
  }
}

/// A store that sessions watch with a deadline.
struct WrittenStore {
  /// The last write since the first of them was sent the store, in CLOCK_BOOTTIME nanoseconds; 0: none.
  var time: UInt64 = 0
  var sessions = 0
  /// Those that the next write concerns.
  var listeners: Set<SessionID> = []
}

extension Feed {
  /// A write has set an equal value. It is noted with the turn's changes, and undone with them.
  mutating func noteEqual(_ slot: Int, _ id: StoreID) {
    guard written[id.raw] != nil else { return }
    if let last = pending.last, last.kind == .written, last.slot == Int32(slot) { return }
    add(PendingChange(end: 0, length: 0, slot: Int32(slot), kind: .written, isGrouped: false))
  }

  /// A store was written.
  ///
  /// - Returns: whether all listeners are woken; if not, the work budget is spent.
  mutating func noteWrite(of store: UInt64, _ effort: inout Effort) -> Bool {
    guard let index = written.index(forKey: store) else { return true }
    written.values[index].time = clock
    effort.spend(Cost.found)
    if written.values[index].listeners.isEmpty { return true }
    while let session = written[store]?.listeners.popFirst() {
      tell(session, of: store)
      effort.spend(Cost.found)
      if effort.isSpent { return written[store]?.listeners.isEmpty ?? true }
    }
    return true
  }

  /// The session must be notified of the store, unless it no longer has a deadline.
  private mutating func tell(_ session: SessionID, of store: UInt64) {
    guard var deadline = filters[session]?.deadlines?[store] else { return }
    deadline.isNews = true
    put(store, deadline, of: session)
    wakeForNews(session)
  }

  mutating func wakeForNews(_ session: SessionID) {
    switch sessions[session].delivery {
    case .live: note(due: session, Subscriber.several)
    case .behind: enqueue(session)
    case .paused, .resting, .idle, .greeting, .closed: break
    }
  }

  /// The alarms that have fired: the store is overdue, or has been written in the meantime.
  mutating func wakeOverdue(_ effort: inout Effort) {
    while let first = alarms.first, first.time <= clock, !effort.isSpent {
      effort.spend(2 &* Cost.found)
      guard let alarm = filters[first.key]?.deadlines?.alarms.first,
        let deadline = filters[first.key]?.deadlines?[alarm.key]
      else { break }
      if silence(of: alarm.key, for: first.key) == .begun {
        tell(first.key, of: alarm.key)
      } else {
        put(alarm.key, deadline, of: first.key)
      }
    }
  }

  /// What is true of a store of a session with a deadline, as a mark on its state: the silence has begun, or has ended and the
  /// client may not know.
  func silence(of store: UInt64, for session: SessionID) -> Silence? {
    guard let deadlines = filters[session]?.deadlines, let deadline = deadlines[store] else { return nil }
    let time = written[store]?.time ?? 0
    if deadlines.end(of: deadline, written: time) <= clock { return .begun }
    return deadline.told != .nothing && time >= deadline.start ? .ended : nil
  }

  /// Whether the session must be notified of that.
  private func isToldOf(_ store: UInt64, _ session: SessionID) -> Bool {
    switch silence(of: store, for: session) {
    // A change in the batch supersedes what the session was sent.
    case .begun: filters[session]?.deadlines?[store]?.told != .overdue || walked[store] != nil
    case .ended: true
    case nil: false
    }
  }

  /// No filter leaves out a store that the session must be notified of.
  func needs(_ store: UInt64, _ session: SessionID) -> Bool { hasNews(session) && isToldOf(store, session) }

  @inline(never)
  func hasNews(_ session: SessionID) -> Bool { filters[session]?.deadlines?.news.isEmpty == false }

  /// Appends the states of stores that the session must be notified of, although they have not changed.
  ///
  /// - Returns: whether that was all.
  mutating func appendSilences(
    _ session: SessionID, _ history: borrowing History, _ stores: inout Stores, _ effort: inout Effort
  ) -> Bool {
    guard isFiltered(session), hasNews(session) else { return true }
    stampPatterns(of: session, &effort)
    var (index, isFirst) = (Int.max, true)
    while true {
      // Entries that are no longer news are removed from the end of the list.
      index = min(index, filters[session]?.deadlines?.news.count ?? 0) - 1
      if index < 0 { return true }
      if !isFirst, hasEnough(effort) { return false }
      isFirst = false
      effort.spend(Cost.membership)
      guard let store = filters[session]?.deadlines?.news[index],
        var deadline = filters[session]?.deadlines?[store], deadline.isNews, !marked.contains(store)
      else { continue }
      guard let slot = stores.find(StoreID(raw: store)), patterns.isStamped(stores[slot], &effort) else {
        drop(store, of: session)
        continue
      }
      guard isToldOf(store, session) else {
        deadline.isNews = false
        put(store, deadline, of: session)
        continue
      }
      appendCurrent(slot, to: session, &stores)
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .position(history.log.head)))
    }
  }

  /// The session, which has a deadline, is sent this frame.
  mutating func noteDeadline(_ frame: FrameView, to session: SessionID) {
    guard let kind = EventKind(rawValue: frame.rawKind) else { return }
    switch kind {
    case .removed: drop(frame.bytes[EventLayout.store], of: session)
    case .current, .change, .created:
      let store = frame.bytes[EventLayout.store]
      let silence = kind == .current ? EventLayout.silence(frame.flags) : .ended
      let known = filters[session]?.deadlines?[store]
      let resumes = filters[session]?.deadlines?.resumes ?? false
      var deadline = known ?? StoreDeadline(start: clock, told: resumes ? .unknown : .nothing)
      if let silence {
        deadline.told = silence == .begun ? .overdue : .nothing
        deadline.isNews = false
      }
      put(store, deadline, of: session)
    case .synced, .resumed, .forget, .ended, .forward, .withdraw, .ask: break
    }
  }

  /// Begins the deadline of a store for a session, or continues it.
  mutating func put(_ store: UInt64, _ deadline: StoreDeadline, of session: SessionID) {
    let isNew = filters[session]?.deadlines?[store] == nil
    if isNew { written[store, default: WrittenStore()].sessions += 1 }
    if deadline.told != .nothing, !deadline.isNews {
      written[store]?.listeners.insert(session)
    } else {
      written[store]?.listeners.remove(session)
    }
    filters[session]?.deadlines?.set(store, deadline, written: written[store]?.time ?? 0)
    setAlarm(of: session)
  }

  private mutating func drop(_ store: UInt64, of session: SessionID) {
    guard filters[session]?.deadlines?[store] != nil else { return }
    filters[session]?.deadlines?.remove(store)
    setAlarm(of: session)
    written[store]?.listeners.remove(session)
    written[store]?.sessions -= 1
    if written[store]?.sessions == 0 { written[store] = nil }
  }

  private mutating func setAlarm(of session: SessionID) {
    let time = filters[session]?.deadlines?.alarms.first?.time ?? .max
    if time < .max { alarms.set(session, to: time) } else { alarms.remove(session) }
  }

  /// Ends the deadlines of a session whose last watch ends.
  ///
  /// - Returns: whether none is left; if not, the work budget is spent.
  mutating func endDeadlines(of session: SessionID, _ effort: inout Effort) -> Bool {
    while let store = filters[session]?.deadlines?.alarms.last {
      if effort.isSpent { return false }
      effort.spend(2 &* Cost.found)
      drop(store, of: session)
    }
    return true
  }
}
