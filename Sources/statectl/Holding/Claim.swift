// What a connection can hold for a command: a value, or a lock. It says what to ask the hub for, and asks nothing.

internal import HubCore
internal import HubSystem

/// Which of a lock's holders: a number that grows with every new one, and the epoch in which it does.
struct Fence: Hashable, Sendable {
  let revision: Revision
  let epoch: Epoch
}

enum Claim: Sendable {
  /// An ephemeral value of that store.
  case value(StoreName, Value)
  case lock(LockClaim)

  var store: StoreName {
    switch self {
    case .value(let name, _): name
    case .lock(let lock): lock.name
    }
  }

  /// What is asked first on a connection: how things are.
  var question: Request {
    switch self {
    case .value(let name, _): .describe(.name(name))
    case .lock(let lock): .watch([NamePattern(lock.name)])
    }
  }

  /// - Parameters:
  ///   - fence: what was held before; nil: nothing.
  ///   - condition: of a value, that no other program has set it.
  func request(epoch: Epoch, again fence: Fence?, if condition: WriteCondition) -> Request {
    switch self {
    case .value(let name, let value):
      .write(
        .set(
          .name(name), value, condition: condition,
          lifetime: Lifetime(ephemeral: true)))
    case .lock(let lock): .transaction(lock.operations(epoch: epoch, again: fence))
    }
  }
}

/// A lock is two stores: one that exists while somebody has it, and one that stays, whose revision tells the holders apart.
struct LockClaim: Sendable {
  let name: StoreName
  private let fence: StoreName
  private let holder: String

  /// - Parameter command: for whom, as people are told.
  init(_ name: StoreName, command: Argument) throws(Failure) {
    self.name = name
    holder = ValueText.visible("pid \(CurrentProcess.pid), \(command.text)")
    fence = try attempt { () throws(HubError) in try StoreName(name.text + ".fence") }
  }

  /// Whether a value looks like one of a lock that is held.
  static func isHolder(_ value: Value) -> Bool {
    if case .string(let text) = value { text.hasPrefix("pid ") } else { false }
  }

  /// The first set fails while somebody has the lock. The second one makes the number of a new holder; a former holder must
  /// still have the last one.
  func operations(epoch: Epoch, again former: Fence?) -> [WriteOperation] {
    let condition = former.map { former in
      WriteCondition(
        revision: former.revision, epoch: former.epoch, value: .string(former.epoch.description))
    }
    return [
      .set(
        .name(name), .string(holder), condition: WriteCondition(absent: true),
        lifetime: Lifetime(ephemeral: true)),
      .set(
        .name(fence), .string(epoch.description), condition: condition ?? .none, force: former == nil),
    ]
  }
}
