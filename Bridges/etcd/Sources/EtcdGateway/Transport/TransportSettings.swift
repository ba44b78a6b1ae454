// Settings of connections: certificates, and the times after which one counts as dead.

/// The settings of a transport. They hold for all its connections.
package struct TransportSettings: Sendable {
  /// A PEM file with the only trusted authorities; `nil`: the system's.
  package var authorities: String?
  /// A PEM file with the client's certificate; `nil`: none.
  package var certificate: String?
  /// A PEM file with the certificate's key.
  package var key: String?
  /// The proxy's URL; `nil`: none, also if the environment sets one.
  package var proxy: String?
  /// How long connecting may take, including TLS.
  package var connecting: Duration = .seconds(2)
  /// After how long a silence the kernel probes the other side, and the interval of its probes.
  package var keepAlive: Duration = .seconds(5)
  /// How long sent bytes may stay unacknowledged before the kernel gives the connection up.
  package var unacknowledged: Duration = .seconds(10)
  /// The maximum number of transfers. One more fails at once with `busy`, and nothing is sent.
  package var transfers = 256
  /// How many bytes of a stream are kept for its reader. At the bound the transfer is paused, and the other side waits.
  package var streamBuffer = 256 * 1024
  /// The longest body of an answer that is read as a whole. A longer one fails with `tooLong`.
  package var longestBody = 256 * 1024 * 1024

  /// The default settings.
  package init() {}
}

extension Duration {
  /// Whole milliseconds, at least 1.
  var milliseconds: Int { max(1, Int(self / .milliseconds(1))) }

  /// Whole seconds, at least 1.
  var wholeSeconds: Int { max(1, Int(components.seconds)) }
}
