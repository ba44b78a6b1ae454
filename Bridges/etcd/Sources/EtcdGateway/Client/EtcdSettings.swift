// Where etcd is, who the client is there, and how long things may take.

/// The settings of a client.
package struct EtcdSettings: Sendable {
  /// The members' client URLs, such as `https://10.0.0.1:2379`. There must be one.
  package var endpoints: [String]
  /// Certificates, and when a connection counts as dead.
  package var transport = TransportSettings()
  /// The user's name; `nil`: none. A certificate's name is no user for etcd's gateway.
  package var user: String?
  /// Gives the user's password, each time that it is needed.
  package var password: @Sendable () throws -> String = { "" }
  /// How long a call may take, with all its attempts.
  package var call: Duration = .seconds(5)
  /// How long one endpoint may take to answer a call that reads, before another is asked.
  package var attempt: Duration = .seconds(2)
  /// How often a watch looks whether its stream is silent. If it is, it asks its member for an answer of the majority, which
  /// may take as long as an attempt; without one the watch ends. So a member that is stopped or cut off is noticed after two
  /// such times and an attempt at the latest.
  package var watchCheck: Duration = .seconds(2)

  /// Settings for these endpoints.
  package init(endpoints: [String]) { self.endpoints = endpoints }
}
