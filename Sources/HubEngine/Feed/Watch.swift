// Owns the state of one watched pattern: its links in lists, and what is still owed to the client.

/// One pattern of one watch request, also while the request is not answered.
struct Watch {
  var session: Int32
  /// The number of the request that opened it.
  var request: UInt32
  var pattern: Int32 = -1
  /// The pattern's next watch, whether live or not.
  var nextOfPattern: Int32 = -1
  var previousOfPattern: Int32 = -1
  /// Its index in the pattern's watcher list, or one of the two constants below.
  var place = Watch.notLive
  /// Its neighbours in the list of its `ConditionGroup`; -1: none.
  var previousInGroup: Int32 = -1
  var nextInGroup: Int32 = -1
  /// The session's next watch.
  var next: Int32 = -1
  /// The session's watch before it; -1: it is the first.
  var previous: Int32 = -1
  var policy: DeliveryPolicy
  var schemas: Bool
  /// The least interval of its filter in milliseconds; 0: none.
  var interval: UInt32 = 0
  /// Those of its stores that last changed up to here were sent; the rest, up to the session's position, are owed. `.max`:
  /// none are owed, and the session's position says it all.
  var snapshot: UInt64 = 0
  /// Only the first watch of a request that began at a bookmark: its client must still be notified of removals after this
  /// position. `.max`: of none, or the session's position says it all.
  var removals = UInt64.max

  static let notLive: Int32 = -1
  /// It is live behind another one.
  static let isLed: Int32 = -2
}
