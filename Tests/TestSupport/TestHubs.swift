// The Hubs of tests that do not test time-outs.

public import HubClient

extension Hub {
  /// A Hub on the socket at `path`. Its requests never time out.
  public static func patient(_ path: String, name: String? = nil) -> Hub {
    Hub(.explicit(path), name: name, timeout: .unhurried)
  }
}

extension HubProcess {
  /// A Hub on this process's socket, as ``HubClient/Hub/patient(_:name:)`` makes it.
  public func hub(name: String? = nil) -> Hub { .patient(socket, name: name) }
}
