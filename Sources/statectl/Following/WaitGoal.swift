// The goal of one `wait`: its conditions, what is known of their stores, and since when they hold. It does not wait.

internal import HubCore
internal import HubTransport

struct WaitGoal {
  enum Mode: Hashable, Sendable {
    case one, any, all
  }

  struct Clause: Sendable {
    let store: StoreName
    let condition: WaitCondition
  }

  /// What is known of a store.
  private struct Known {
    var event: StoreEvent?
    /// It became so during the wait.
    var hasChanged = false
  }

  let clauses: [Clause]
  let mode: Mode
  /// How long they must hold; nil: a moment is enough.
  private let length: Duration?
  private var stores: [String: Known] = [:]
  /// The last consistent state that the hub has announced; nil before the first.
  private var whole: (revision: Revision, epoch: Epoch)?
  private var heldSince: Deadline?

  /// - Throws: `usage` if the operands are not conditions.
  init(_ words: CommandLineWords) throws(Failure) {
    mode = words.has(.any) ? .any : words.has(.all) ? .all : .one
    clauses = try WaitGoal.clauses(words, mode)
    length = try words.duration(.stableFor)
    if length != nil, clauses.contains(where: { !$0.condition.lasts }) {
      throw .usage("--stable-for cannot be combined with changes, which does not last")
    }
  }

  private static func clauses(_ words: CommandLineWords, _ mode: Mode) throws(Failure) -> [Clause] {
    let count = words.operands.count
    var clauses: [Clause] = []
    var index = 0
    while index < count {
      let store = try words.storeName(index)
      guard index + 1 < count else {
        throw .usage("\(store.text) has no condition", hint: Help.pointer(.wait))
      }
      let spelling = words.operands[index + 1].text
      let takesValue = WaitCondition.row(spelling).map(WaitCondition.takesValue) ?? false
      // A single condition takes all remaining operands.
      let end = mode == .one && count <= 3 ? count : min(count, index + (takesValue ? 3 : 2))
      clauses.append(
        Clause(
          store: store,
          condition: try WaitCondition(spelling, index + 2 < end ? words.operands[index + 2] : nil)))
      index = end
    }
    guard mode != .one || clauses.count == 1 else {
      throw .usage("several conditions need --any or --all", hint: Help.pointer(.wait))
    }
    return clauses
  }

  /// The stores, each once.
  var patterns: [NamePattern] {
    var seen: Set<String> = []
    return clauses.filter { seen.insert($0.store.text).inserted }.map { NamePattern($0.store) }
  }

  /// What the hub can leave out: every change with which the only condition neither begins nor ceases to hold. Nil: nothing, because
  /// there are several, or each change matters.
  var filter: WatchFilter? {
    guard length == nil, clauses.count == 1, let condition = clauses[0].condition.watched else { return nil }
    return try? WatchFilter(when: condition)
  }

  /// The hub has sent the state of its stores.
  var isKnown: Bool { whole != nil }

  /// When the goal is reached if nothing changes.
  var due: Deadline { length.flatMap { length in heldSince.map { $0 + length } } ?? .never }

  /// What follows does not continue what was seen.
  mutating func interrupt() { heldSince = nil }

  /// Applies the next event.
  ///
  /// - Returns: whether the goal is reached.
  /// - Throws: `invalidValue` if a value cannot be compared.
  mutating func take(_ event: StoreEvent, now: Deadline = .now) throws(Failure) -> Bool {
    if event.kind == .reset { interrupt() }
    if event.kind.isAboutStore {
      // A skipped value is unknown.
      if event.skipped != 0 { interrupt() }
      stores[event.name, default: Known()].event = event
      if event.kind != .initial { stores[event.name]?.hasChanged = true }
    }
    // States in between never existed: half of a transaction.
    guard event.isWhole || event.kind == .synced else { return false }
    whole = (event.revision, event.epoch)
    guard try !holding().isEmpty else {
      interrupt()
      return false
    }
    heldSince = heldSince ?? now
    return isReached(now: now)
  }

  /// Whether the conditions hold, and have held long enough.
  func isReached(now: Deadline = .now) -> Bool { length == nil ? heldSince != nil : due <= now }

  /// The conditions that hold; none if the goal needs more of them.
  private func holding() throws(Failure) -> [Clause] {
    var holding: [Clause] = []
    for clause in clauses {
      let known = stores[clause.store.text] ?? Known()
      if try clause.condition.holds(
        for: known.event?.value, hasChanged: known.hasChanged, store: clause.store.text)
      {
        holding.append(clause)
      }
    }
    return mode == .all && holding.count < clauses.count ? [] : holding
  }

  /// An event for each condition that holds. For a missing store it has the kind `synced`.
  func results() throws(Failure) -> [StoreEvent] {
    guard let whole else { return [] }
    return try holding().map { clause in
      stores[clause.store.text]?.event
        ?? StoreEvent(.synced, name: clause.store.text, revision: whole.revision, epoch: whole.epoch)
    }
  }

  /// The actual state, for the message after a time-out.
  var state: String { values + (heldSince == nil ? "" : ", but not for long enough") }

  private var values: String {
    guard isKnown else { return "the hub did not report \(mode == .one ? "the value" : "the values")" }
    if mode == .one {
      return value(of: clauses[0]).map { "the value is \($0)" } ?? "there is no such store"
    }
    return patterns.map { pattern in
      let name = pattern.text
      return stores[name]?.event?.value.map { "\(name) is \(ValueText.line($0))" } ?? "there is no \(name)"
    }.joined(separator: ", ")
  }

  private func value(of clause: Clause) -> String? {
    stores[clause.store.text]?.event?.value.map(ValueText.line)
  }
}
