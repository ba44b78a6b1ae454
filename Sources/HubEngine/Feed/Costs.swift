// The cost of noting changes for watchers: the writer is charged for it, and cannot make too many at once.
//
// Changes are noted when a turn is complete, all of a transaction together, with no other writes in between. That work depends
// on what others watch: patterns that match, and of deep globs also those that nearly match.

import HubCore

extension HubEngine {
  /// The most that the creation of one store may take: with more the name is refused. Names of up to five parts never are,
  /// unless thousands of patterns match them. It is not cut into steps, so that it also bounds how long others wait.
  private static let mostCreationWork = 1_000_000
  /// The most that the changes of one transaction may take.
  static let mostGroupWork = 20_000_000
  /// The most that finding the patterns of all the stores which a transaction creates may take: that is not cut into steps,
  /// either.
  private static let mostGroupCreationWork = 3_000_000

  @inline(__always)
  mutating func spend(_ cost: Int) {
    work &+= cost
    groupWork &+= cost
  }

  /// A session creates a store.
  mutating func checkWatches(ofNew name: ByteView) throws(HubError) {
    guard let cost = feed.patterns.costOfCreating(name, most: HubEngine.mostCreationWork) else {
      throw HubError(
        .quota, store: name.text,
        "too many watched patterns match the name or its first parts: use a name with fewer parts"
      )
    }
    spend(cost)
    groupCreationWork += cost
    if ledger.undo.isTransaction, groupCreationWork > HubEngine.mostGroupCreationWork {
      throw HubError(
        .quota, store: name.text,
        "too many watched patterns match what the transaction creates: split it")
    }
  }
}
