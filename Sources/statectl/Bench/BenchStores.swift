// The stores that `statectl bench` works in: names that nobody else has, made before a test and removed at the end.

internal import HubCore
internal import HubTransport

final class BenchStores {
  let place: SocketPath
  private let prefix: String
  private var hasMade = false

  /// How many stores a transaction of the test sets.
  private static let inTransaction = 10

  init(at place: SocketPath) throws(Failure) {
    // A hub that comes to exist elsewhere meanwhile is another one.
    self.place = .explicit(place.resolved)
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    prefix = "statectl-bench.\(number)"
  }

  private func client() throws(Failure) -> Client { try Client(to: place, for: .bench, until: nil) }

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
    var client = try client()
    var names: [StoreName] = []
    var requests: [UInt32] = []
    for index in 0..<count {
      let name = try name("\(test.rawValue).\(index)")
      names.append(name)
      requests.append(client.enqueue(.write(.create(name, schema, ifAbsent: true))))
    }
    hasMade = hasMade || count > 0
    for request in requests { _ = try client.written(request) }
    return names
  }

  /// Removes all that are there. A hub that is just starting is waited for.
  func remove() throws(Failure) {
    guard hasMade else { return }
    do throws(Failure) {
      var client = try client()
      let pattern = try attempt { () throws(HubError) in try NamePattern(prefix + ".**") }
      while true {
        guard case .listed(let stores, _) = try client.ask(.list(pattern)) else { throw .strangeAnswer }
        if stores.isEmpty { return }
        var requests: [UInt32] = []
        for store in stores {
          guard let name = try? StoreName(store.name) else { continue }
          requests.append(client.enqueue(.write(.remove(.name(name)))))
        }
        for request in requests { _ = try client.written(request) }
      }
    } catch {
      guard case .hub(var problem) = error else { throw error }
      problem.message += "; stores of the bench may be left, see statectl list '\(prefix).**'"
      throw .hub(problem)
    }
  }
}
