// Users, roles and tokens of a real etcd, and many calls whose token ends.

import EtcdGateway
import EtcdProcesses
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct AuthenticationTests {
  /// A member with users: `root`, and `ann`, who may use what begins with `/ann/`.
  private func cluster() async throws -> EtcdCluster {
    let cluster = try await EtcdCluster(options: ["--bcrypt-cost", "4"])
    let node = cluster.nodes[0]
    try node.ctl("user", "add", "root:toor")
    try node.ctl("user", "grant-role", "root", "root")
    try node.ctl("user", "add", "ann:secret")
    try node.ctl("role", "add", "ann")
    try node.ctl("role", "grant-permission", "ann", "--prefix=true", "readwrite", "/ann/")
    try node.ctl("user", "grant-role", "ann", "ann")
    try node.ctl("auth", "enable")
    return cluster
  }

  private func client(_ cluster: EtcdCluster, password: String = "secret") throws -> EtcdClient {
    var settings = cluster.settings
    settings.user = "ann"
    settings.password = { password }
    return try EtcdClient(settings)
  }

  @Test func aUserMayDoWhatTheRoleSaysAndNoMore() async throws {
    let cluster = try await cluster()
    let client = try client(cluster)
    let revision = try await client.put(Data("/ann/x"), Data("1"))
    #expect(try await client.range(EtcdRange(.prefix("/ann/"))).keyValues.count == 1)
    let watch = try await client.watch(.prefix("/ann/"), from: revision)
    #expect(try await watch.nextRevision().number == revision)
    for failed in [
      await failure({ () async throws(EtcdFailure) in try await client.put(Data("/bob/x"), Data("1")) }),
      await failure({ () async throws(EtcdFailure) in _ = try await client.range(EtcdRange(.all)) }),
      await failure({ () async throws(EtcdFailure) in _ = try await client.watch(.all) }),
    ] {
      guard case .permissionDenied? = failed?.problem else {
        Issue.record("\(String(describing: failed))")
        continue
      }
      #expect(failed?.effect == EtcdFailure.Effect.none)
    }
    // The key that a probe reads is not permitted, which only a majority can report.
    #expect(try await client.probe() == 0)
  }

  @Test func aWrongPasswordAndNoneAreRefused() async throws {
    let cluster = try await cluster()
    let wrong = try client(cluster, password: "other")
    let failed = await failure { () async throws(EtcdFailure) in try await wrong.probe() }
    guard case .authentication? = failed?.problem else {
      Issue.record("\(String(describing: failed))")
      return
    }
    let anonymous = try EtcdClient(cluster.settings)
    let refused = await failure { () async throws(EtcdFailure) in
      try await anonymous.put(Data("/ann/x"), Data())
    }
    guard case .staleToken? = refused?.problem else {
      Issue.record("\(String(describing: refused))")
      return
    }
  }

  /// A member that was restarted has forgotten its tokens, and refuses them as it does those that have expired.
  @Test func aTokenThatEtcdNoLongerTakesIsReplaced() async throws {
    let cluster = try await cluster()
    let (writer, watcher) = (try client(cluster), try client(cluster))
    let key = Data("/ann/x")
    let revision = try await writer.put(key, Data("1"))
    try await watcher.probe()
    cluster.nodes[0].kill()
    try cluster.nodes[0].start(members: cluster.nodes)
    let other = try client(cluster)
    try await eventually("the member is back") { (try? await other.probe()) != nil }
    try await writer.put(key, Data("2"))
    let watch = try await watcher.watch(.prefix("/ann/"), from: revision)
    #expect(try await watch.nextRevision().number == revision)
  }

  /// A server that takes only the newest token: a hundred calls that lose theirs get one new one, although most of them hear
  /// of it when another call has already used that.
  @Test func manyCallsWithAnOldTokenAskForOneNewOne() async throws {
    let given = Mutex(0)
    let refusals = Mutex(0)
    let isUsed = Gate()
    let server = try RawServer { connection, _ in
      while let request = connection.request() {
        if request.path == "/v3/auth/authenticate" {
          let number = given.withLock { given in
            given += 1
            return given
          }
          connection.answer("{\"header\":{},\"token\":\"t\(number)\"}")
        } else if request.head.contains("Authorization: t1\r") {
          let isFirst = refusals.withLock { refusals in
            refusals += 1
            return refusals == 1
          }
          if !isFirst { isUsed.wait() }
          connection.answer("{\"error\":\"etcdserver: invalid auth token\",\"code\":16}", status: 401)
        } else {
          connection.answer("{\"header\":{\"revision\":\"7\"}}")
          isUsed.open()
        }
      }
    }
    var settings = EtcdSettings(endpoints: [server.url])
    settings.user = "ann"
    settings.call = .seconds(60)
    settings.attempt = .seconds(60)
    let client = try EtcdClient(settings)
    try await withThrowingTaskGroup(of: Int64.self) { group in
      for _ in 0..<100 { group.addTask { try await client.put(Data("k"), Data()) } }
      for try await revision in group { #expect(revision == 7) }
    }
    #expect(given.withLock { $0 } == 2)
  }

  @Test func aRefusedPasswordIsNotAskedForAgainAtOnce() async throws {
    let asked = Mutex(0)
    let server = try RawServer { connection, _ in
      while connection.request() != nil {
        asked.withLock { $0 += 1 }
        let text = "etcdserver: authentication failed, invalid user ID or password"
        connection.answer("{\"error\":\"\(text)\",\"message\":\"\(text)\",\"code\":3}", status: 400)
      }
    }
    var settings = EtcdSettings(endpoints: [server.url])
    settings.user = "ann"
    let client = try EtcdClient(settings)
    let start = ContinuousClock.now
    for _ in 0..<20 {
      let failed = await failure { () async throws(EtcdFailure) in try await client.probe() }
      guard case .authentication? = failed?.problem else {
        Issue.record("\(String(describing: failed))")
        return
      }
    }
    #expect(asked.withLock { $0 } <= 1 + Int(start.duration(to: .now) / .seconds(1)))
  }
}
