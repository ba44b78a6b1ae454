// What a filter over the full history delivers, computed without the engine's help: what `FilterModelTests` compares with.

import HubCore

/// One change of the hub's history.
struct HistoryEntry {
  var revision: Revision
  var store: UInt64
  var name: String
  var version: UInt64
  /// Nil: the store was removed.
  var value: Value?
  /// It is the value that the store's schema names as the initial one.
  var isInitial: Bool
  /// The store was created, or has another schema.
  var isCreation = false

  /// As a snapshot has it.
  var asCurrent: HistoryEntry {
    var entry = self
    entry.isCreation = false
    return entry
  }
}

/// A write, also of an equal value.
struct WriteEntry {
  var store: UInt64
  var time: UInt64
}

/// An event as a program sees it.
struct DeliveredEvent: Hashable, Comparable, CustomStringConvertible {
  var name: String
  var version: UInt64
  var skipped: UInt64?
  var value: Value?
  var isOverdue = false

  var description: String {
    (isOverdue ? "overdue " : "")
      + "\(name) \(value.map { "\($0)" } ?? "removed") at version \(version), \(skipped.map { "\($0)" } ?? "?") skipped"
  }

  static func < (a: DeliveredEvent, b: DeliveredEvent) -> Bool { a.description < b.description }
}

/// Decides each time from the whole history.
struct NaiveFilter {
  let filter: WatchFilter
  let pattern: NamePattern
  private var shown: [UInt64: UInt64] = [:]
  private var measured: [UInt64: Value] = [:]
  private var met: [UInt64: Bool] = [:]
  private var looked: Revision = 0
  private(set) var restsUntil: UInt64 = 0
  private var silences: [UInt64: NaiveSilence] = [:]
  /// As shown, over all connections.
  private var overdue: Set<UInt64> = []
  private var hasResumed = false

  init(_ filter: WatchFilter, _ pattern: NamePattern) {
    (self.filter, self.pattern) = (filter, pattern)
  }

  /// The watch is opened for the first time: everything at this revision comes.
  mutating func begin(_ history: [HistoryEntry], _ writes: [WriteEntry], now: UInt64) -> [DeliveredEvent] {
    var events: [DeliveredEvent] = []
    for entry in newest(history, after: 0) {
      guard let value = entry.value else { continue }
      show(entry, value)
      begin(entry, writes, now, isNamed: false)
      events.append(DeliveredEvent(name: entry.name, version: entry.version, skipped: 0, value: value))
    }
    finish(history, hasEvents: true, now)
    return events
  }

  /// The watch continues on another connection, of which the hub knows nothing but the bookmark.
  mutating func resume(
    _ history: [HistoryEntry], _ writes: [WriteEntry], from bookmark: Revision, now: UInt64
  ) -> [DeliveredEvent] {
    looked = bookmark
    restsUntil = 0
    (measured, met, silences, hasResumed) = ([:], [:], [:], true)
    let since = isExact ? history.filter { $0.revision > bookmark } : []
    if filter.deadband != nil || filter.condition != nil || filter.deadline > 0 { looked = 0 }
    return events(
      newest(history, after: looked).filter { entry in
        // Of what has changed since, each change is compared.
        !since.contains { $0.store == entry.store }
      }.map(\.asCurrent) + since.filter(isWatched), history, writes, removalsAfter: bookmark, now,
      isResuming: true)
  }

  /// Each change counts, not only the newest value.
  private var isExact: Bool { filter.condition != nil && filter.deadband == nil && filter.milliseconds == 0 }

  /// A turn has ended.
  mutating func turn(_ history: [HistoryEntry], _ writes: [WriteEntry], now: UInt64) -> [DeliveredEvent] {
    if now < restsUntil { return [] }
    let changes =
      isExact
      ? history.filter { $0.revision > looked && isWatched($0) } : newest(history, after: looked)
    return events(changes, history, writes, removalsAfter: looked, now, isResuming: false)
  }

  private mutating func events(
    _ changes: [HistoryEntry], _ history: [HistoryEntry], _ writes: [WriteEntry], removalsAfter: Revision,
    _ now: UInt64, isResuming: Bool
  ) -> [DeliveredEvent] {
    var events: [DeliveredEvent] = []
    var hasFrames = isResuming
    var sent: Set<UInt64> = []
    // Before this batch, by store.
    let marks = silences.mapValues { silence in silence.mark(writes, filter.deadline, now) }
    for entry in changes {
      guard let value = entry.value else {
        if entry.revision <= removalsAfter { continue }
        hasFrames = true
        let last = shown.removeValue(forKey: entry.store) ?? 0
        (measured[entry.store], met[entry.store], silences[entry.store]) = (nil, nil, nil)
        overdue.remove(entry.store)
        events.append(
          DeliveredEvent(name: entry.name, version: entry.version, skipped: entry.version - last - 1))
        continue
      }
      let mark = marks[entry.store] ?? nil
      if isExact || mark?.isNews != true {
        if let was = met[entry.store], holds(value) == was { continue }
        if let last = measured[entry.store], !passes(last, value, entry.isInitial) { continue }
      }
      hasFrames = true
      sent.insert(entry.store)
      // By a frame that does not say whether the store was just created.
      let isNamed = !isExact || isResuming && !entry.isCreation
      begin(entry, writes, now, isNamed: isNamed)
      if !isNamed { silences[entry.store]?.told = .nothing }
      append(entry, value, isExact ? nil : mark?.isOverdue, to: &events)
    }
    // What has not changed, or was left out.
    for entry in newest(history, after: 0) {
      guard let value = entry.value, let mark = marks[entry.store] ?? nil, silences[entry.store] != nil,
        isExact
          ? mark.isNews || sent.contains(entry.store) && mark.isOverdue
          : mark.isNews && !sent.contains(entry.store)
      else { continue }
      hasFrames = true
      append(entry, value, mark.isOverdue, to: &events)
    }
    finish(history, hasEvents: hasFrames, now)
    return events
  }

  /// The view shows what is newer than what it has, and whether the store is overdue, if the hub says so.
  private mutating func append(
    _ entry: HistoryEntry, _ value: Value, _ isOverdue: Bool?, to events: inout [DeliveredEvent]
  ) {
    let last = shown[entry.store] ?? 0
    show(entry, value)
    if let isOverdue { silences[entry.store]?.told = isOverdue ? .overdue : .nothing }
    guard
      last < entry.version || (isOverdue ?? overdue.contains(entry.store)) != overdue.contains(entry.store)
    else { return }
    if isOverdue == true { overdue.insert(entry.store) } else { overdue.remove(entry.store) }
    events.append(
      DeliveredEvent(
        name: entry.name, version: entry.version,
        skipped: last < entry.version ? entry.version - last - 1 : 0,
        value: value, isOverdue: isOverdue == true))
  }

  /// The store's deadline begins, unless it has.
  private mutating func begin(_ entry: HistoryEntry, _ writes: [WriteEntry], _ now: UInt64, isNamed: Bool) {
    guard filter.deadline > 0, silences[entry.store] == nil else { return }
    silences[entry.store] = NaiveSilence(
      store: entry.store, start: now, writes: writes.count,
      told: hasResumed && isNamed ? .unknown : .nothing)
  }

  private mutating func show(_ entry: HistoryEntry, _ value: Value) {
    shown[entry.store] = entry.version
    measured[entry.store] = filter.deadband != nil && value.type.isNumber ? value : nil
    met[entry.store] = holds(value)
  }

  /// Nil: it cannot be compared.
  private func holds(_ value: Value) -> Bool? {
    guard let condition = filter.condition else { return nil }
    func isComparable(_ operand: Value) -> Bool {
      operand.type == value.type || operand.type.isNumber && value.type.isNumber
    }
    func number(_ value: Value) -> Double? {
      switch value {
      case .integer(let value): Double(value)
      case .double(let value): value
      default: nil
      }
    }
    func isSame(_ operand: Value) -> Bool {
      number(operand).map { $0 == number(value) } ?? (operand == value)
    }
    func isBefore(_ a: Value, _ b: Value) -> Bool {
      if let a = number(a), let b = number(b) { return a < b }
      return a.bytes.lexicographicallyPrecedes(b.bytes)
    }
    let operands = condition.operands.filter(isComparable)
    switch condition.comparison {
    case .present: return true
    case .absent: return false
    case _ where operands.isEmpty: return nil
    case .equal: return operands.contains(where: isSame)
    case .notEqual: return !operands.contains(where: isSame)
    case .less: return isBefore(value, operands[0])
    case .lessOrEqual: return !isBefore(operands[0], value)
    case .greater: return isBefore(operands[0], value)
    case .greaterOrEqual: return !isBefore(value, operands[0])
    }
  }

  private mutating func finish(_ history: [HistoryEntry], hasEvents: Bool, _ now: UInt64) {
    looked = history.last?.revision ?? 0
    guard hasEvents, filter.milliseconds > 0 else { return }
    let grain = UInt64(filter.milliseconds) * 125_000
    let follows = now >= restsUntil && now < restsUntil + grain
    let end = (follows ? restsUntil : now) + 8 * grain
    restsUntil = end % grain == 0 ? end : end + grain - end % grain
  }

  private func passes(_ last: Value, _ new: Value, _ isInitial: Bool) -> Bool {
    func number(_ value: Value) -> Double? {
      switch value {
      case .integer(let value): Double(value)
      case .double(let value): value
      default: nil
      }
    }
    guard let from = number(last), let to = number(new), last.type == new.type else { return true }
    if from == to { return false }
    if isInitial { return true }
    return switch filter.deadband {
    case .absolute(let amount): abs(to - from) >= amount
    case .percent(let amount): abs(to - from) >= abs(from) * amount / 100
    case nil: true
    }
  }

  /// The last entry of each matching store that has one after that revision.
  private func newest(_ history: [HistoryEntry], after revision: Revision) -> [HistoryEntry] {
    var last: [UInt64: HistoryEntry] = [:]
    for entry in history where entry.revision > revision { last[entry.store] = entry }
    return last.values.filter(isWatched)
  }

  private func isWatched(_ entry: HistoryEntry) -> Bool {
    Array(entry.name.utf8).withByteView { pattern.matches($0) }
  }
}

/// What a client with a deadline was told of a store, and since when its hub has counted.
struct NaiveSilence {
  enum Told { case nothing, overdue, unknown }

  var store: UInt64
  var start: UInt64
  /// How many writes there were at the start.
  var writes: Int
  var told: Told

  /// Whether the store is overdue, and whether the client must be told so; nil: there is nothing to say.
  func mark(_ all: [WriteEntry], _ deadline: UInt32, _ now: UInt64) -> (isOverdue: Bool, isNews: Bool)? {
    let since = all.dropFirst(writes).last { $0.store == store }?.time
    if now >= (since ?? start) + UInt64(deadline) * 1_000_000 { return (true, told != .overdue) }
    return told != .nothing && since != nil ? (false, true) : nil
  }
}
