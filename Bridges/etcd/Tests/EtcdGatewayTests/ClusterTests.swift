// Three members of a real etcd, of which some end, stop or are not reached.

import EtcdGateway
import EtcdProcesses
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct ClusterTests {
  /// Settings that notice quickly, with one member first.
  private func settings(_ cluster: EtcdCluster, first: EtcdNode) -> EtcdSettings {
    var settings = cluster.settings
    settings.endpoints = [first.url] + cluster.nodes.map(\.url).filter { $0 != first.url }
    settings.attempt = .seconds(1)
    settings.watchCheck = .milliseconds(500)
    return settings
  }

  /// Counts one up by compare-and-set. Each attempt has a mark of its own, so that an open outcome can be read.
  private func increment(_ client: EtcdClient) async throws {
    let mark = UUID().uuidString
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let (counter, last) = (Data("counter"), Data("last"))
      do throws(EtcdFailure) {
        let found = try await client.transact(
          EtcdTransaction(success: [.range(EtcdRange(.key(counter))), .range(EtcdRange(.key(last)))]))
        guard case .range(let now) = found.results[0], case .range(let mine) = found.results[1] else {
          continue
        }
        if mine.keyValues.first?.value == Data(mark) { return }
        let number = Int(now.keyValues.first?.value.text ?? "0") ?? 0
        let done = try await client.transact(
          EtcdTransaction(
            compare: [EtcdCompare(counter, .modRevision(now.keyValues.first?.modRevision ?? 0))],
            success: [.put(counter, value: Data("\(number + 1)")), .put(last, value: Data(mark))]))
        if done.succeeded { return }
      } catch {
        // What is certain is tried again, what is open is read again: both are the same loop.
      }
    }
    throw ProcessFailure("no increment in a minute")
  }

  @Test func theLeaderIsKilledAndNothingIsLostOrDoneTwice() async throws {
    let cluster = try await EtcdCluster(3)
    let leader = try await cluster.leader()
    let client = try EtcdClient(settings(cluster, first: leader))
    let start = try await client.watch(.key("counter"))
    let watcher = Task { () async throws -> [String] in
      var (watch, told, next) = (start, [String](), start.createdRevision + 1)
      while told.count < 60 {
        do throws(EtcdFailure) {
          guard case .revision(let revision)? = try await watch.next() else { continue }
          next = revision.number + 1
          told += revision.events.map(\.keyValue.value.text)
        } catch {
          while let again = try? await client.watch(.key("counter"), from: next) {
            watch = again
            break
          }
        }
      }
      return told
    }
    for number in 1...60 {
      if number == 20 { leader.kill() }
      try await increment(client)
    }
    #expect(try await client.range(EtcdRange(.key("counter"))).keyValues.first?.value.text == "60")
    #expect(try await watcher.value == (1...60).map { "\($0)" })
    #expect(client.endpoint != leader.url)
  }

  @Test func aLostMajorityIsSaidWithinSecondsAndComesBack() async throws {
    let cluster = try await EtcdCluster(3)
    let survivor = cluster.nodes[0]
    var patient = settings(cluster, first: survivor)
    patient.watchCheck = .seconds(100)  // The stream itself must say it.
    let client = try EtcdClient(patient)
    let watch = try await client.watch(.key("k"))
    #expect(watch.endpoint == survivor.url)
    let start = ContinuousClock.now
    for node in cluster.nodes.dropFirst() { node.kill() }
    let end = await watch.end()
    #expect(end?.problem == .noLeader)
    #expect(start.duration(to: .now) < .seconds(10))
    try await eventually("a write is refused, and certainly so") {
      let failed = await failure { () async throws(EtcdFailure) in
        try await client.put(Data("k"), Data("lost"))
      }
      return failed?.effect == EtcdFailure.Effect.none
    }
    try cluster.nodes[1].start(members: cluster.nodes)
    try await eventually("the majority is back") {
      await failure { () async throws(EtcdFailure) in try await client.put(Data("k"), Data("back")) } == nil
    }
    #expect(try await client.range(EtcdRange(.key("k"))).keyValues.first?.value.text == "back")
  }

  @Test func aStoppedMemberIsNoticedAndCallsGoOnElsewhere() async throws {
    let cluster = try await EtcdCluster(3)
    let leader = try await cluster.leader()
    let stopped = try #require(cluster.nodes.first { $0.url != leader.url })
    let client = try EtcdClient(settings(cluster, first: stopped))
    let watch = try await client.watch(.key("k"))
    try await client.put(Data("k"), Data("1"))
    _ = try await watch.nextRevision()
    #expect(watch.endpoint == stopped.url && client.endpoint == stopped.url)
    stopped.signal(SIGSTOP)
    defer { stopped.signal(SIGCONT) }
    let start = ContinuousClock.now
    // A reading call is asked elsewhere within its own time.
    #expect(try await client.range(EtcdRange(.key("k"))).keyValues.count == 1)
    #expect(client.endpoint != stopped.url)
    let end = await watch.end()
    #expect(end?.problem == .deadline)
    #expect(start.duration(to: .now) < .seconds(10))
    let next = try await client.watch(.key("k"))
    #expect(next.endpoint != stopped.url)
    let revision = try await client.put(Data("k"), Data("2"))
    #expect(try await next.nextRevision().number == revision)

    // A write that the stopped member has in its socket may still happen: it is not asked for a second time.
    var only = settings(cluster, first: stopped)
    only.endpoints = [stopped.url]
    only.call = .seconds(1)
    let pinned = try EtcdClient(only)
    let failed = await failure { () async throws(EtcdFailure) in try await pinned.put(Data("k"), Data("3")) }
    #expect(failed?.problem == .deadline)
    #expect(failed?.effect == .unknown)
    stopped.signal(SIGCONT)
    // And so it does, or not: but the member answers again.
    try await eventually("it answers again") { (try? await pinned.probe()) != nil }
  }

  @Test func aMemberThatIsNotReachedIsLeft() async throws {
    let cluster = try await EtcdCluster()
    var settings = cluster.settings
    settings.endpoints = ["http://127.255.255.253:1", "http://127.255.255.254:1/", cluster.nodes[0].url]
    let client = try EtcdClient(settings)
    let revision = try await client.put(Data("k"), Data("1"))
    #expect(revision > 1)
    #expect(client.endpoint == cluster.nodes[0].url)
    #expect(try await client.probe() == revision)
    settings.endpoints.removeLast()
    let nobody = try EtcdClient(settings)
    let failed = await failure { () async throws(EtcdFailure) in try await nobody.put(Data("k"), Data("1")) }
    guard case .unreachable? = failed?.problem else {
      Issue.record("\(String(describing: failed))")
      return
    }
    #expect(failed?.effect == EtcdFailure.Effect.none)
  }
}
