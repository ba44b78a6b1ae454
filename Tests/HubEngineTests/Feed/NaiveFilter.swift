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
}

/// An event as a program sees it.
struct DeliveredEvent: Hashable, Comparable, CustomStringConvertible {
  var name: String
  var version: UInt64
  var skipped: UInt64?
  var value: Value?

  var description: String {
    "\(name) \(value.map { "\($0)" } ?? "removed") at version \(version), \(skipped.map { "\($0)" } ?? "?") skipped"
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

  init(_ filter: WatchFilter, _ pattern: NamePattern) {
    (self.filter, self.pattern) = (filter, pattern)
  }

  /// The watch is opened for the first time: everything at this revision comes.
  mutating func begin(_ history: [HistoryEntry], now: UInt64) -> [DeliveredEvent] {
    var events: [DeliveredEvent] = []
    for entry in newest(history, after: 0) {
      guard let value = entry.value else { continue }
      show(entry, value)
      events.append(DeliveredEvent(name: entry.name, version: entry.version, skipped: 0, value: value))
    }
    finish(history, hasEvents: true, now)
    return events
  }

  /// The watch continues on another connection, of which the hub knows nothing but the bookmark.
  mutating func resume(_ history: [HistoryEntry], from bookmark: Revision, now: UInt64) -> [DeliveredEvent] {
    looked = bookmark
    restsUntil = 0
    (measured, met) = ([:], [:])
    let since = isExact ? history.filter { $0.revision > bookmark } : []
    if filter.deadband != nil || filter.condition != nil { looked = 0 }
    return events(
      newest(history, after: looked).filter { entry in
        // Of what has changed since, each change is compared.
        !since.contains { $0.store == entry.store }
      } + since.filter(isWatched), history, removalsAfter: bookmark, now, isResuming: true)
  }

  /// Each change counts, not only the newest value.
  private var isExact: Bool { filter.condition != nil && filter.deadband == nil && filter.milliseconds == 0 }

  /// A turn has ended.
  mutating func turn(_ history: [HistoryEntry], now: UInt64) -> [DeliveredEvent] {
    if now < restsUntil { return [] }
    let changes =
      isExact
      ? history.filter { $0.revision > looked && isWatched($0) } : newest(history, after: looked)
    return events(changes, history, removalsAfter: looked, now, isResuming: false)
  }

  private mutating func events(
    _ changes: [HistoryEntry], _ history: [HistoryEntry], removalsAfter: Revision, _ now: UInt64,
    isResuming: Bool
  ) -> [DeliveredEvent] {
    var events: [DeliveredEvent] = []
    var hasFrames = isResuming
    for entry in changes {
      guard let value = entry.value else {
        if entry.revision <= removalsAfter { continue }
        hasFrames = true
        let last = shown.removeValue(forKey: entry.store) ?? 0
        (measured[entry.store], met[entry.store]) = (nil, nil)
        events.append(
          DeliveredEvent(name: entry.name, version: entry.version, skipped: entry.version - last - 1))
        continue
      }
      if let was = met[entry.store], holds(value) == was { continue }
      if let last = measured[entry.store], !passes(last, value, entry.isInitial) { continue }
      hasFrames = true
      let last = shown[entry.store] ?? 0
      show(entry, value)
      if last < entry.version {
        events.append(
          DeliveredEvent(
            name: entry.name, version: entry.version, skipped: entry.version - last - 1, value: value))
      }
    }
    finish(history, hasEvents: hasFrames, now)
    return events
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
