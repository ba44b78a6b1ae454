// Which operations create a dump's stores, and which of them share a transaction. It does not contact a hub.

internal import HubCore

struct LoadPlan {
  /// The stores of consecutive lines, in one transaction.
  struct Step {
    var operations: [WriteOperation] = []
    /// The dump's entry for each operation.
    var owners: [Int] = []
    /// The entry after the last.
    var end: Int
    /// One store that no transaction can hold: its operations are sent one by one.
    var isAlone = false

    func entry(of operation: Int) -> Int? {
      owners.indices.contains(operation) ? owners[operation] : nil
    }
  }

  /// A store that the hub has.
  struct Present {
    /// By the configuration, which keeps its rules.
    var isDeclared: Bool
    /// Nil: it is not compared, and gets everything.
    var description: StoreDescription?
  }

  let dump: Dump
  private let present: [String: Present]
  private let longestFrame: Int
  /// Stores that are removed before they are recreated.
  private var replaced: Set<Int> = []
  /// All stores are one step, however long it is.
  var isWhole = false
  /// The last operation of a whole step.
  var last: WriteOperation?

  /// The most operations in a transaction, except one for `impossible`.
  private static let maximumOperations = WriteOperation.mostInTransaction - 1

  /// Always fails, whatever the hub contains: no store has that revision. It is about a store of the transaction, so that it needs
  /// no other rights, and no other provider.
  static func impossible(after operations: [WriteOperation]) -> WriteOperation {
    .set(operations[operations.count - 1].store, .boolean(false), condition: WriteCondition(revision: .max))
  }

  /// With the longest name.
  private static let longestImpossible = 300

  init(_ dump: Dump, present: [String: Present], longestFrame: Int) {
    self.dump = dump
    self.present = present
    self.longestFrame = longestFrame
  }

  /// Marks a store for removal.
  ///
  /// - Returns: whether that is new, and possible.
  mutating func replace(_ entry: Int) -> Bool {
    present[dump.entries[entry].store.name.text]?.isDeclared == false && replaced.insert(entry).inserted
  }

  /// The stores that are removed before they are made again.
  var replacedNames: Set<String> { Set(replaced.map { dump.entries[$0].store.name.text }) }

  /// The entries that change something.
  var changes: [Int] { dump.entries.indices.filter { !operations(for: $0).isEmpty } }

  /// What an entry makes of its store.
  func outcome(of entry: Int) -> DumpedStore {
    var store = dump.entries[entry].store
    let before = present[store.name.text]?.description
    if let before, before.declared || (store.schema.initial == nil && !replaced.contains(entry)) {
      store.schema = before.schema
    }
    if store.value == nil { store.value = replaced.contains(entry) ? nil : before?.state.value }
    store.value = store.value ?? store.schema.initial
    return store
  }

  /// The step that begins with this entry; nil after the last.
  func step(from start: Int) -> Step? {
    guard start < dump.entries.count else { return nil }
    if isWhole { return wholeStep }
    var step = Step(end: start)
    var room = longestFrame - Frame.headerLength - LoadPlan.longestImpossible
    while step.end < dump.entries.count {
      let operations = operations(for: step.end)
      let length = operations.reduce(0) { $0 + $1.length }
      if length > room || step.operations.count + operations.count > LoadPlan.maximumOperations {
        if step.operations.isEmpty {
          return Step(
            operations: operations, owners: operations.map { _ in start }, end: start + 1, isAlone: true)
        }
        break
      }
      room -= length
      step.owners += operations.map { _ in step.end }
      step.operations += operations
      step.end += 1
    }
    return step
  }

  private var wholeStep: Step {
    var step = Step(end: dump.entries.count)
    for entry in dump.entries.indices {
      let operations = operations(for: entry)
      step.owners += operations.map { _ in entry }
      step.operations += operations
    }
    if let last { step.operations.append(last) }
    return step
  }

  /// Why a step that is too long for any transaction cannot be sent alone either, or nil.
  func problem(with step: Step) -> Failure? {
    guard let longest = step.operations.map(\.length).max(), longest > longestFrame else { return nil }
    return .hub(
      HubError(
        .frameTooLarge, store: dump.entries[step.end - 1].store.name.text,
        "it needs a frame of \(longest) bytes, and this hub accepts \(longestFrame): raise its maxFrameBytes")
    )
  }

  private func operations(for entry: Int) -> [WriteOperation] {
    let store = dump.entries[entry].store
    let present = present[store.name.text]
    var operations: [WriteOperation] = []
    if replaced.contains(entry) { operations.append(.remove(.name(store.name))) }
    // A declared store keeps its rules, and gets the value.
    if store.schema.initial != nil, present?.isDeclared != true {
      operations.append(.create(store.name, store.schema))
    }
    if let value = store.value { operations.append(.set(.name(store.name), value)) }
    if let description = present?.description, !replaced.contains(entry) {
      operations.removeAll { $0.changesNothing(of: description) }
    }
    return operations
  }
}

extension WriteOperation {
  fileprivate func changesNothing(of store: StoreDescription) -> Bool {
    switch self {
    case .create(_, let schema, _): schema == store.schema
    case .set(_, let value, _, _, _):
      // An equal value that would expire must become permanent.
      value == store.state.value && store.ttl == nil && store.owner == nil
    case .add, .toggle, .reset, .remove: false
    }
  }
}
