// One pattern and everything that depends on it. Only the table, which owns it, changes its stage.

import HubCore

/// A change of this turn that concerns a pattern.
struct TurnEntry {
  /// Where its frame ends in the change log.
  var end: UInt64
  var length: UInt32
  var slot: Int32
  /// A creation or a removal: sent even if the store has changed again since.
  var isRequired: Bool
}

/// One pattern and everything that depends on it. It has many fields so that one address leads to everything that
/// a change or a delivery needs of a pattern.
struct PatternRecord: ~Copyable {
  /// ```
  /// building --all stores were examined--> whole --nobody uses it--> ending --all members were dropped--> free
  ///     +----------------------nobody uses it--------------------------^
  /// ```
  enum Stage: UInt8 {
    /// Its members are being found. It gets no changes in the meantime: the search meets what has changed behind it.
    case building
    case whole
    /// Nobody uses it. Its members are dropped little by little.
    case ending
    case free
  }

  var pattern: NamePattern
  /// Those whose stores it is about: its members are the stores that match and that they may read.
  let audience: AudienceIndex
  var stage = Stage.building
  /// How many watches use it, live or not, and requests that are not finished.
  var references = 0
  /// The first of the watches that use it; -1: none. Its user pays.
  var firstWatch: Int32 = -1
  /// Whose account it is in; the last one's also while it is ending.
  var payer = StoreRecord.byHub
  /// The live ones, as indices of watches, without those that are led by another.
  var watchers = Table<Int32>()
  var groups: [WatchFilter: ConditionGroup] = [:]
  var order = ChangeOrder()
  /// This turn's changes, kept only while there are live watchers.
  var turn = Table<TurnEntry>()
  var turnHasGroup = false
  /// Marks the patterns of one session during a walk.
  var stamp: UInt64 = 0
  /// The least intervals of its watches: of all that `references` counts, without the table's own.
  var uses = IntervalCounts()
  /// The numbers of the claims that count it among their watchers; some may have ended.
  var claims: [UInt32] = []
  /// The interval with which they do; nil: it was not counted.
  var counted: UInt32?
  /// It is among `newUses`.
  var hasNewUse = false
  /// The first of its memberships; -1: none.
  var memberships: Int32 = -1
  /// While it is being built: everything that last changed up to here was examined.
  var searched: UInt64 = 0
  /// What had changed when the search began.
  var searchStart: UInt64 = 0
  /// The position of a glob in the trie, and its neighbours there; -1: none. `**` and `**.**` share a node, and so does a text with
  /// itself for another audience.
  var node: Int32 = -1
  var nextAtNode: Int32 = -1
  var previousAtNode: Int32 = -1

  init(_ pattern: NamePattern, for audience: AudienceIndex = Permissions.everything, references: Int = 0) {
    self.pattern = pattern
    self.audience = audience
    self.references = references
  }
}

struct PatternKey: ShardedKey {
  var text: String
  var audience: AudienceIndex

  var shard: Int { text.hashValue }
}
