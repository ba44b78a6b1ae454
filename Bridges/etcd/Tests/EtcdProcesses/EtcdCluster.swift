// A cluster of etcd members, which end with their owner.

package import EtcdGateway

package final class EtcdCluster: Sendable {
  package let nodes: [EtcdNode]
  private let certificates: Certificates?
  private let client: (certificate: String, key: String)?

  /// Starts members and waits until they answer together.
  ///
  /// - Parameters:
  ///   - certifiedAddress: what their certificates say instead of their own addresses.
  ///   - awaits: `false`: does not wait.
  package init(
    _ count: Int = 1, certificates: Certificates? = nil, certifiedAddress: String? = nil, awaits: Bool = true,
    options: [String] = []
  ) async throws {
    self.certificates = certificates
    client = try certificates?.make("client", address: "127.0.0.1")
    let network = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255))"
    let first = Int.random(in: 1...200)
    nodes = try (0..<count).map { index in
      let address = "\(network).\(first + index)"
      var all = options
      if let certificates {
        let own = try certificates.make("node\(index)", address: certifiedAddress ?? address)
        all += ["--cert-file", own.certificate, "--key-file", own.key]
        all += ["--client-cert-auth", "--trusted-ca-file", certificates.authority]
      }
      return try EtcdNode("node\(index)", address: address, isSecure: certificates != nil, all)
    }
    for node in nodes { try node.start(members: nodes) }
    guard awaits else { return }
    let client = try EtcdClient(settings)
    for node in nodes { try await ready(node, client) }
  }

  /// Settings of a client of all members.
  package var settings: EtcdSettings {
    var settings = EtcdSettings(endpoints: nodes.map(\.url))
    settings.transport.authorities = certificates?.authority
    settings.transport.certificate = client?.certificate
    settings.transport.key = client?.key
    return settings
  }

  /// Restarts a killed member, and waits until it belongs to the majority.
  package func restart(_ node: EtcdNode) async throws {
    try node.start(members: nodes)
    try await ready(node, EtcdClient(settings))
  }

  /// The leader, according to the others.
  package func leader() async throws -> EtcdNode {
    let client = try EtcdClient(settings)
    var leader: EtcdNode?
    try await eventually("there is a leader") {
      for node in nodes {
        guard let status = try? await client.status(at: node.url), status.leader != 0 else { continue }
        if status.leader == status.header.member { leader = node }
      }
      return leader != nil
    }
    guard let leader else { throw ProcessFailure("there is no leader") }
    return leader
  }

  private func ready(_ node: EtcdNode, _ client: EtcdClient) async throws {
    do {
      try await eventually("\(node.name) answers") {
        (try? await client.probe(at: node.url, within: .seconds(1))) != nil
      }
    } catch {
      throw ProcessFailure("\(error): \(node.log.suffix(2000))")
    }
  }
}

/// Repeats a check until it succeeds or the time is over.
package func eventually(
  isolation: isolated (any Actor)? = #isolation, _ what: String, within: Duration = .seconds(60),
  _ isSo: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + within
  while try await !isSo() {
    if ContinuousClock.now > end { throw ProcessFailure("not within \(within): \(what)") }
    try await Task.sleep(for: .milliseconds(10))
  }
}
