// TLS with an authority and client certificates that are made on the spot.

import EtcdGateway
import EtcdProcesses
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct SecureTests {
  @Test func certificatesAreCheckedOnBothSides() async throws {
    let cluster = try await EtcdCluster(certificates: Certificates())
    let client = try EtcdClient(cluster.settings)
    let watch = try await client.watch(.key("k"))
    let revision = try await client.put(Data("k"), Data(count: 1 << 20))
    #expect(try await watch.nextRevision().number == revision)

    var stranger = cluster.settings
    stranger.transport.certificate = nil
    stranger.transport.key = nil
    try await expectTLS(stranger, orReset: true, "no certificate is shown")

    let foreign = try Certificates()
    let own = try foreign.make("foreign", address: "127.0.0.1")
    var unknown = cluster.settings
    unknown.transport.certificate = own.certificate
    unknown.transport.key = own.key
    try await expectTLS(unknown, orReset: true, "the certificate is of another authority")

    var distrusting = cluster.settings
    distrusting.transport.authorities = foreign.authority
    try await expectTLS(distrusting, "the server's certificate is of another authority")

    var system = cluster.settings
    system.transport.authorities = nil
    try await expectTLS(system, "the system does not know the authority")

    var missing = cluster.settings
    missing.transport.authorities = "/nonexistent/ca.pem"
    try await expectTLS(missing, "there is no such file")
  }

  @Test func aCertificateForAnotherAddressIsRefused() async throws {
    let certificates = try Certificates()
    let cluster = try await EtcdCluster(
      certificates: certificates, certifiedAddress: "127.0.0.1", awaits: false)
    var settings = cluster.settings
    settings.call = .seconds(2)
    let client = try EtcdClient(settings)
    var failed: EtcdFailure?
    try await eventually("the member listens") {
      failed = await failure { () async throws(EtcdFailure) in try await client.probe() }
      if case .unreachable? = failed?.problem { return false }
      return true
    }
    guard case .tls? = failed?.problem else {
      Issue.record("\(String(describing: failed))")
      return
    }
    #expect(failed?.effect == EtcdFailure.Effect.none)
  }

  /// - Parameter orReset: with TLS 1.3 a member refuses a client's certificate when the request is already under way, and its
  ///   reset of the connection may overtake its reason.
  private func expectTLS(_ settings: EtcdSettings, orReset: Bool = false, _ what: Comment) async throws {
    let client = try EtcdClient(settings)
    let failed = await failure { () async throws(EtcdFailure) in try await client.put(Data("k"), Data()) }
    switch failed?.problem {
    case .tls?: break
    case .cut? where orReset: break
    default: Issue.record("\(what): \(String(describing: failed))")
    }
  }
}
