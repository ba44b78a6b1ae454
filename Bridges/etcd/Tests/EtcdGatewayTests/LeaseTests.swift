// Leases of a real etcd.

import EtcdGateway
import EtcdProcesses
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct LeaseTests {
  @Test func aLeaseTakesItsKeysWithIt() async throws {
    let client = try await SharedNode.client()
    let key = Data(SharedNode.prefix())
    let lease = try await client.grantLease(seconds: 60)
    #expect(lease.id != 0 && lease.timeToLive == 60)
    try await client.put(key, Data("x"), lease: lease.id)
    #expect(try await client.range(EtcdRange(.key(key))).keyValues.first?.lease == lease.id)
    let state = try await client.leaseState(lease.id, withKeys: true)
    #expect(state.granted == 60 && state.left > 50 && state.keys == [key])
    #expect(try await client.keepLease(lease.id) == 60)
    let watch = try await client.watch(.key(key))
    try await client.revokeLease(lease.id)
    #expect(try await watch.nextRevision().events.map(\.isDeletion) == [true])
    #expect(try await client.leaseState(lease.id).left == -1)
  }

  @Test func aLeaseThatHasEndedIsNotFound() async throws {
    let client = try await SharedNode.client()
    let lease = try await client.grantLease(seconds: 60)
    try await client.revokeLease(lease.id)
    let kept = await failure { () async throws(EtcdFailure) in try await client.keepLease(lease.id) }
    #expect(kept?.problem == .leaseNotFound)
    let revoked = await failure { () async throws(EtcdFailure) in try await client.revokeLease(lease.id) }
    #expect(revoked?.problem == .leaseNotFound)
    let put = await failure { () async throws(EtcdFailure) in
      try await client.put(Data(SharedNode.prefix()), Data("x"), lease: lease.id)
    }
    #expect(put?.problem == .leaseNotFound)
    #expect(put?.effect == EtcdFailure.Effect.none)
  }

  @Test func aLeaseThatIsNotRenewedEnds() async throws {
    let client = try await SharedNode.client()
    let key = Data(SharedNode.prefix())
    let watch = try await client.watch(.key(key))
    // On a busy machine the lease may have ended before it is used.
    var isSet = false
    while !isSet {
      let lease = try await client.grantLease(seconds: 1)
      do throws(EtcdFailure) {
        try await client.put(key, Data("x"), lease: lease.id)
        isSet = true
      } catch {
        if error.problem != .leaseNotFound { throw error }
      }
    }
    #expect(try await watch.nextRevision().events.map(\.isDeletion) == [false])
    #expect(try await watch.nextRevision().events.map(\.isDeletion) == [true])
  }

  @Test func aMemberReportsItsVersionAndTheLeader() async throws {
    let client = try await SharedNode.client()
    let status = try await client.status()
    #expect(status.version.hasPrefix("3.") && status.databaseSize > 0)
    #expect(status.leader == status.header.member && status.errors.isEmpty)
    let members = try await client.members()
    #expect(members.map(\.id) == [status.leader])
    #expect(members.first?.clientURLs == client.endpoints)
    #expect(try await client.probe() >= 1)
  }
}
