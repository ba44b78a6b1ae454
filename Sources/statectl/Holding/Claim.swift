// What a connection can hold on behalf of a command: a value, or a lock. It defines the requests, and sends none.

internal import HubCore
internal import HubSystem

/// Identifies a lock's holder: a number that grows with every new one, and its epoch.
struct Fence: Hashable, Sendable {
  let revision: Revision
  let epoch: Epoch
}

enum Claim: Sendable {
  /// An ephemeral value of that store.
  case value(StoreName, Value)
  case lock(LockClaim)

  /// The store that ends with the connection.
  var store: StoreName {
    switch self {
    case .value(let name, _): name
    case .lock(let lock): lock.holder
    }
  }
}

/// A lock: the stores that record the holder and the waiters.
///
/// An exclusive holder has the store NAME; one of several has a store below NAME.holders. Both end with the holder.
/// NAME.fence remains: each new holder changes it, on condition that no other has done so since the lock was seen to be
/// free.
struct LockClaim: Sendable {
  let name: StoreName
  /// How many may hold it at a time, besides an exclusive holder, which holds it alone; nil: this one is exclusive.
  let most: Int?
  /// The store that exists while this holder has the lock.
  let holder: StoreName
  let fence: StoreName
  /// The last number of a ticket.
  let counter: StoreName
  /// The holder's human-readable description.
  let title: Value

  /// The longest of the names below NAME is that of a ticket.
  private static let longestName = StoreName.maximumLength - ".queue.".utf8.count - ticketDigits
  private static let ticketDigits = 16

  /// - Parameter command: what will run.
  /// - Throws: `invalidName` if the name has no room for the names below it.
  init(_ name: StoreName, most: Int? = nil, command: Argument) throws(Failure) {
    guard name.text.utf8.count <= LockClaim.longestName else {
      let reason =
        "a lock's name has at most \(LockClaim.longestName) bytes, because the names of its stores are longer"
      throw .hub(HubError(.invalidName, store: name.text, reason))
    }
    self.name = name
    self.most = most
    title = .string(ValueText.visible("pid \(CurrentProcess.pid), \(command.text)"))
    fence = try LockClaim.store(name, "fence")
    counter = try LockClaim.store(name, "queue")
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    holder = most == nil ? name : try LockClaim.store(name, "holders.\(number)")
  }

  private static func store(_ name: StoreName, _ part: String) throws(Failure) -> StoreName {
    try attempt { () throws(HubError) in try StoreName("\(name.text).\(part)") }
  }

  private func pattern(_ part: String) throws(Failure) -> NamePattern {
    try attempt { () throws(HubError) in try NamePattern("\(name.text).\(part)") }
  }

  private var isShared: Bool { most == .max }

  /// Everything that determines whether the lock is free: for a shared one, no matter how many hold it with it.
  var patterns: [NamePattern] {
    get throws(Failure) {
      let patterns = [NamePattern(name), NamePattern(fence)]
      return isShared ? patterns : patterns + [try pattern("holders.*")]
    }
  }

  var tickets: NamePattern {
    get throws(Failure) { try pattern("queue.*") }
  }

  /// The order of the names is that of the numbers.
  func ticket(_ number: Int64) throws(Failure) -> StoreName {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, LockClaim.ticketDigits - digits.count))
    return try LockClaim.store(name, "queue." + zeros + digits)
  }

  var createCounter: Request {
    let schema = Schema(type: .integer, initial: .integer(0), durability: .volatile)
    return .write(.create(counter, schema, ifAbsent: true))
  }

  /// A ticket is there for as long as its waiter.
  func wait(as ticket: StoreName) -> Request { .write(appear(as: ticket)) }

  /// Whether this claim may hold the lock together with those that a view shows.
  func isFree(in view: WatchView) -> Bool {
    guard view.state(of: name.text) == nil else { return false }
    let holders = view.count - (view.state(of: fence.text) == nil ? 0 : 1)
    return holders < most ?? 1
  }

  /// Whether a value looks like that of a holder.
  static func isHolder(_ value: Value) -> Bool {
    if case .string(let text) = value { text.hasPrefix("pid ") } else { false }
  }

  /// A new holder changes the fence, from the revision at which the lock was free: 0 if there was none.
  func take(epoch: Epoch, from revision: Revision) -> Request {
    .transaction([
      appear(as: holder),
      .set(
        .name(fence), .string(epoch.description), condition: WriteCondition(revision: revision), force: true),
    ])
  }

  /// A former holder leaves the fence as it is, and must still have changed it last.
  func takeAgain(epoch: Epoch, _ former: Fence) -> Request {
    .transaction([
      appear(as: holder),
      .set(
        .name(fence), .string(epoch.description),
        condition: WriteCondition(
          revision: former.revision, epoch: former.epoch, value: .string(former.epoch.description))),
    ])
  }

  private func appear(as store: StoreName) -> WriteOperation {
    .set(.name(store), title, condition: WriteCondition(absent: true), lifetime: Lifetime(ephemeral: true))
  }
}
