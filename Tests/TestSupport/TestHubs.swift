// Owns the time-out of the Hubs of tests that do not test time-outs: what hangs is ended by the test's own limit.

public import HubClient

extension Duration {
  /// Longer than any test may take.
  public static let unhurried = Duration.seconds(3600)
}

extension Hub {
  /// A Hub on the socket at `path`. Its requests never time out: beside builds and other tests a process, or a task, may get
  /// no processor time for minutes.
  public static func patient(_ path: String, name: String? = nil) -> Hub {
    Hub(.explicit(path), name: name, timeout: .unhurried)
  }
}

extension HubProcess {
  /// A Hub on this process's socket, as ``HubClient/Hub/patient(_:name:)`` makes it.
  public func hub(name: String? = nil) -> Hub { .patient(socket, name: name) }
}
