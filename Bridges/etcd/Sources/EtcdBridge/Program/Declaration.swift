// Whether the hub's configuration declares a claim: only then its stores are protected from the hub's start.

internal import HubClient

enum Declaration {
  /// Asks the hub by a claim that it always refuses: if the name is declared, because its patterns differ from the declaration.
  static func exists(of base: String, _ socket: SocketPath) async throws -> Bool {
    let hub = Hub(socket, name: "statehub-bridge", timeout: .seconds(3))
    let claim = try hub.claim("statehub.**", name: base)
    do {
      try await hub.ping()
      for try await _ in claim.writes {}
      return false
    } catch let error as HubError {
      switch error.code {
      case .declared: return true
      case .reserved: return false
      default: throw error
      }
    }
  }

  static func warning(about mapping: NameMapping) -> String {
    """
    the hub's configuration does not declare the claim \(mapping.base): before the first claim, and in a hub without a state directory \
    until the bridge is back, writes are accepted without etcd and lost. Add providers: { \(mapping.base): { stores: ["\(mapping.base).**", \
    "\(ResumeRecord.pattern(of: mapping))"], users: ... } }
    """
  }
}
