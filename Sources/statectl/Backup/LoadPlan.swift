// Which operations a dump's stores become, and which of them share a transaction. It does not contact a hub.

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

  private let dump: Dump
  /// Whether an existing store is declared by the configuration.
  private let present: [String: Bool]
  private let longestFrame: Int
  /// Stores that are removed before they are recreated.
  private var replaced: Set<Int> = []

  /// The most operations in a transaction, except one for `impossible`.
  private static let maximumOperations = WriteOperation.mostInTransaction - 1

  /// Always fails, whatever the hub contains: no store has that revision. A failed condition is not an error.
  static let impossible: WriteOperation = .set(
    .name(try! StoreName("load.trial")), .boolean(false), condition: WriteCondition(revision: .max))

  init(_ dump: Dump, present: [String: Bool], longestFrame: Int) {
    self.dump = dump
    self.present = present
    self.longestFrame = longestFrame
  }

  /// Marks a store for removal.
  ///
  /// - Returns: whether that is new, and possible.
  mutating func replace(_ entry: Int) -> Bool {
    present[dump.entries[entry].store.name.text] == false && replaced.insert(entry).inserted
  }

  /// The step that begins with this entry; nil after the last.
  func step(from start: Int) -> Step? {
    guard start < dump.entries.count else { return nil }
    var step = Step(end: start)
    var room = longestFrame - Frame.headerLength - LoadPlan.impossible.length
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
    var operations: [WriteOperation] = []
    if replaced.contains(entry) { operations.append(.remove(.name(store.name))) }
    // A declared store keeps its rules, and gets the value.
    if store.schema.initial != nil, present[store.name.text] != true {
      operations.append(.create(store.name, store.schema))
    }
    operations.append(.set(.name(store.name), store.value))
    return operations
  }
}
