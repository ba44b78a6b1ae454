// What a connection can hold for a command: a value, or a lock. It says what to ask the hub for, and asks nothing.

internal import HubCore
internal import HubSystem

/// Which of a lock's holders: a number that grows with every new one, and the epoch in which it does.
struct Fence: Hashable, Sendable {
  let revision: Revision
  let epoch: Epoch
}

enum Claim: Sendable {
  /// An ephemeral set of that store.
  case value(StoreName, WriteOperation)
  case lock(LockClaim)

  var store: StoreName {
    switch self {
    case .value(let name, _): name
    case .lock(let lock): lock.name
    }
  }

  /// - Parameter fence: what was held before; nil: nothing.
  func request(epoch: Epoch, again fence: Fence?) -> Request {
    switch self {
    case .value(_, let operation): .write(operation)
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
