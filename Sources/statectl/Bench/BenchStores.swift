// The stores that `statectl bench` works in: names that no other program uses, made before a test and removed at the end, or by the next
// bench, if this one is killed.

internal import HubCore
internal import HubTransport

final class BenchStores {
  let place: SocketPath
  private let prefix: String
  private let deadline: Deadline
  private var hasMade = false
  /// While it is open, a store marks the running bench.
  private var keeper: Client?

  private static let parent = "statectl-bench"
  private static let mark = "runs"

  /// How many stores a transaction of the test sets.
  private static let inTransaction = 10

  /// How long the end of a bench whose time is over may take.
  private static let ending = Duration.milliseconds(80)

  init(at place: SocketPath, until deadline: Deadline) throws(Failure) {
    self.deadline = deadline
    // A hub started elsewhere in the meantime is another hub.
    self.place = .explicit(place.resolved)
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    prefix = "\(BenchStores.parent).\(number)"
  }

  private func client() throws(Failure) -> Client {
    try Client(
      to: place, for: .bench,
      until: deadline == .never ? nil : max(deadline, .after(BenchStores.ending)))
  }

  private func name(_ part: String) throws(Failure) -> StoreName {
    try attempt { () throws(HubError) in try StoreName("\(prefix).\(part)") }
  }

  /// Makes those of a test.
  ///
  /// - Returns: for most tests one; for `set` one for each connection.
  func make(
    for test: BenchTest, _ load: BenchLoad, _ durability: Durability?
  ) throws(Failure) -> [StoreName] {
    let count =
      switch test {
      case .ping: 0
      case .get, .add, .fanout: 1
      case .set: load.connections
      case .txn: BenchStores.inTransaction
      }
    let initial: Value = test == .add ? .integer(0) : BenchWork.value(load.size)
    let schema = Schema(type: initial.type, initial: initial, durability: durability)
    if count > 0, !hasMade { try begin() }
    var client = try client()
    var names: [StoreName] = []
    for index in 0..<count { names.append(try name("\(test.rawValue).\(index)")) }
    try client.write(names.map { .create($0, schema, ifAbsent: true) })
    return names
  }

  /// Sets the mark, which ends with this process, and removes what benches without a mark have left.
  private func begin() throws(Failure) {
    var client = try client()
    let mark = try name(BenchStores.mark)
    hasMade = true
    _ = try client.write(.create(mark, Schema(type: .boolean, initial: .boolean(false)), ifAbsent: true))
    _ = try client.write(.set(.name(mark), .boolean(true), lifetime: Lifetime(ephemeral: true)))
    let pattern = try attempt { () throws(HubError) in try NamePattern(BenchStores.parent + ".**") }
    var found: [(bench: Substring, name: String)] = []
    var running: Set<Substring> = []
    try client.list(pattern) { _, store throws(Failure) in
      let parts = store.name.split(separator: ".")
      found.append((parts[1], store.name))
      if parts.last == BenchStores.mark[...], store.value == .boolean(true) { running.insert(parts[1]) }
    }
    var requests: [UInt32] = []
    for store in found where !running.contains(store.bench) {
      guard let name = try? StoreName(store.name) else { continue }
      requests.append(client.enqueue(.write(.remove(.name(name)))))
    }
    // They may belong to another bench, which removes them itself.
    for request in requests { _ = try? client.written(request) }
    keeper = consume client
  }

  /// Removes all existing ones, waiting for a hub that is starting.
  func remove() throws(Failure) {
    guard hasMade else { return }
    do throws(Failure) {
      var client = try client()
      let pattern = try attempt { () throws(HubError) in try NamePattern(prefix + ".**") }
      while true {
        guard case .listed(let stores, _) = try client.ask(.list(pattern)) else { throw .unexpectedReply }
        if stores.isEmpty { return }
        try client.write(stores.compactMap { try? StoreName($0.name) }.map { .remove(.name($0)) })
      }
    } catch {
      throw error.with {
        $0.message += "; stores of the benchmark may remain, see statectl list '\(prefix).**'"
      }
    }
  }
}
