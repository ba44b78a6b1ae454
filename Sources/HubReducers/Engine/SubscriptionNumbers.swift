// Distinguishes subscriptions made by one line, by their order.

/// Numbers similar subscriptions in one scope, in the order in which an action's effects, or what a state asks for,
/// name them. Similar ones have the same trigger, so each always gets the same number.
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
