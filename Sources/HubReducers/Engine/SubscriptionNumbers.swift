// Owns what tells subscriptions apart that one line makes: their order among each other.

/// Numbers the subscriptions that are alike and in one scope, in the order in which an action's effects, or what a state asks
/// for, name them. Those that are alike have the same trigger, so each has the same number every time.
final class SubscriptionNumbers {
  private struct Key: Hashable {
    var path: ScopePath
    var id: SubscriptionID
    var isStop: Bool
  }

  private var counts: [Key: Int] = [:]

  func next(_ id: SubscriptionID, at path: ScopePath, isStop: Bool = false) -> NumberedSubscription {
    let key = Key(path: path, id: id, isStop: isStop)
    defer { counts[key, default: 0] += 1 }
    return NumberedSubscription(id: id, number: counts[key, default: 0])
  }
}

/// One of the subscriptions that are alike.
struct NumberedSubscription: Hashable, Sendable {
  var id: SubscriptionID
  var number: Int
}
