// Owns the time-out of the Hubs of tests: as long as a loaded machine may need, for tests that do not test time-outs.

public import HubClient

extension Hub {
  /// A Hub on the socket at `path`. Its requests wait long: beside builds and other tests a process may get no processor time for
  /// many seconds, and then a request that fails with `timeout` says nothing about the hub.
  public static func patient(_ path: String, name: String? = nil) -> Hub {
    Hub(.explicit(path), name: name, timeout: .seconds(120))
  }
}

extension HubProcess {
  /// A Hub on this process's socket, as ``HubClient/Hub/patient(_:name:)`` makes it.
  public func hub(name: String? = nil) -> Hub { .patient(socket, name: name) }
}
