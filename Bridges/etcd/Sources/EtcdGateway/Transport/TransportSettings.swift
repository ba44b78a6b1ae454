// How connections are made: certificates, and the times after which one counts as dead.

/// The settings of a transport. They hold for all its connections.
package struct TransportSettings: Sendable {
  /// A PEM file with the authorities that are trusted, and no others; `nil`: the system's.
  package var authorities: String?
  /// A PEM file with the client's certificate; `nil`: none is shown.
  package var certificate: String?
  /// A PEM file with the certificate's key.
  package var key: String?
  /// The proxy's URL; `nil`: none, whatever the environment says.
  package var proxy: String?
  /// How long connecting may take, with TLS. It bounds nothing else.
  package var connecting: Duration = .seconds(2)
  /// How long a connection is silent before the kernel asks the other side whether it is there, and then again each time.
  package var keepAlive: Duration = .seconds(5)
  /// How long sent bytes may stay unacknowledged before the kernel gives the connection up.
  package var unacknowledged: Duration = .seconds(10)
  /// How many transfers there can be at a time. One more ends at once with `busy`: nothing was sent.
  package var transfers = 256
  /// How many bytes of a stream wait for its reader. At the bound the transfer is paused: the other side waits.
  package var streamBuffer = 256 * 1024
  /// The longest body of an answer that is taken as a whole. A longer one ends with `tooLong`.
  package var longestBody = 256 * 1024 * 1024

  /// The settings as they are without any said.
  package init() {}
}

extension Duration {
  /// Whole milliseconds, at least 1.
  var milliseconds: Int { max(1, Int(self / .milliseconds(1))) }

  /// Whole seconds, at least 1.
  var wholeSeconds: Int { max(1, Int(components.seconds)) }
}
