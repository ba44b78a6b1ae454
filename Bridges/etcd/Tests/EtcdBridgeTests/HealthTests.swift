// Whether values that may be old count as stale: a cluster without a majority, a machine that is cut off, members that stop.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient
import Testing

@Suite(.serialized, .timeLimit(.minutes(4))) struct HealthTests {
  @Test func aLostMajorityIsReportedUntilItIsBack() async throws {
    let cluster = try await EtcdCluster(3)
    let net = try await Bridged(cluster: cluster)
    try await net.hub.anyValue("net.a").set(.integer(1))
    for node in cluster.nodes.dropFirst() { node.kill() }
    try await net.machine.await(.suspended, net.hub, within: .seconds(10))
    let status = try #require(try await net.machine.claim("net", net.hub))
    #expect(!status.reason.isEmpty && status.staleSince != nil)
    let refused = await refusal { () async throws(HubError) in
      try await net.hub.anyValue("net.a").set(.integer(2))
    }
    #expect(refused?.code == .unavailable)
    // The last value is still readable, and marked as stale.
    #expect(try await net.value("net.a") == .integer(1))
    for node in cluster.nodes.dropFirst() { try node.start(members: cluster.nodes) }
    try await net.machine.await(.live, net.hub, within: .seconds(60))
    try await net.hub.anyValue("net.a").set(.integer(3))
    #expect(try await net.get("a") == "3")
  }

  @Test(arguments: [Proxy.Mode.hole, .cut])
  func aMachineThatIsCutOffReportsItWithinFiveSeconds(_ mode: Proxy.Mode) async throws {
    let cluster = try await EtcdCluster(3)
    let proxy = try Proxy(to: cluster.nodes[0])
    let net = try await Bridged(cluster: cluster, through: proxy)
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    proxy.set(mode)
    try await net.put("a", "2")
    let start = ContinuousClock.now
    try await net.machine.await(.suspended, net.hub, within: .seconds(30))
    #expect(start.duration(to: .now) < .seconds(5))
    proxy.set(.cut)
    proxy.set(.open)
    try await net.machine.await(.live, net.hub)
    // It was not live before it was up to date.
    #expect(try await net.value("net.a") == .integer(2))
  }

  @Test func aStoppedMemberIsLeftForAnother() async throws {
    let cluster = try await EtcdCluster(3)
    let leader = try await cluster.leader()
    let stopped = try #require(cluster.nodes.first { $0.url != leader.url })
    let net = try await Bridged(cluster: cluster)
    let direct = try EtcdClient(EtcdSettings(endpoints: [leader.url]))
    stopped.signal(SIGSTOP)
    defer { stopped.signal(SIGCONT) }
    for number in 1...3 {
      try await direct.put(net.key("a"), Data("\(number)".utf8))
      try await net.expect("net.a", .integer(Int64(number)), within: .seconds(10))
    }
    try await net.machine.await(.live, net.hub)
  }

  @Test func aBridgeThatWasStoppedIsNotTrustedBeforeItHasCaughtUp() async throws {
    let net = try await Bridged()
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    net.machine.signalBridge(SIGSTOP)
    for number in 2...30 { try await net.put("a", "\(number)") }
    net.machine.signalBridge(SIGCONT)
    try await net.expect("net.a", .integer(30))
    try await net.machine.await(.live, net.hub)
  }

  @Test func aHubThatStandsStillIsBroughtUpToDateAfterwards() async throws {
    let net = try await Bridged()
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    net.machine.signalHub(SIGSTOP)
    try await net.put("a", "2")
    try await eventually("the bridge gives the publication up") {
      net.machine.bridgeLog.contains("the hub did not answer in time")
    }
    try await net.put("a", "3")
    net.machine.signalHub(SIGCONT)
    try await net.expect("net.a", .integer(3))
    try await net.machine.await(.live, net.hub)
    try await net.put("a", "4")
    try await net.expect("net.a", .integer(4))
    try await net.hub.anyValue("net.a").set(.integer(5))
    #expect(try await net.get("a") == "5")
  }

  @Test func aHubThatStandsStillWhileABridgeStartsIsBroughtUpToDateAfterwards() async throws {
    let net = try await Bridged()
    net.machine.killBridge()
    try await net.put("a", "1")
    let cluster = try await EtcdCluster()
    let proxy = try Proxy(to: cluster.nodes[0])
    proxy.set(.hole)
    try net.machine.startBridge(["--endpoints", proxy.url] + net.words.dropFirst(2))
    try await net.machine.await(.suspended, net.hub)
    net.machine.signalHub(SIGSTOP)
    try await EtcdClient(cluster.settings).put(net.key("a"), Data("2".utf8))
    proxy.set(.cut)
    proxy.set(.open)
    try await eventually("the bridge gives the publication up") {
      net.machine.bridgeLog.contains("the hub did not answer in time")
    }
    net.machine.signalHub(SIGCONT)
    try await net.machine.await(.live, net.hub)
    try await net.expect("net.a", .integer(2))
  }

  @Test func valuesMissingFromAWatchAreNotLive() async throws {
    let cluster = try await EtcdCluster()
    let proxy = try Proxy(to: cluster.nodes[0])
    let net = try await Bridged(cluster: cluster, through: proxy)
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    // The member answers every request; only the changes do not arrive.
    proxy.set(.unwatched)
    try await net.put("a", "2")
    try await net.machine.await(.suspended, net.hub)
    #expect(try await net.value("net.a") == .integer(1))
    proxy.set(.cut)
    proxy.set(.open)
    try await net.machine.await(.live, net.hub)
    #expect(try await net.value("net.a") == .integer(2))
  }

  @Test func changesOfOtherPrefixesDoNotMakeValuesStale() async throws {
    let net = try await Bridged(cluster: try await EtcdCluster())
    let mark = net.key(".bridge/m1/mark")
    var versions: Set<Int64> = []
    try await eventually("marks were made") {
      try await net.etcd.put(Data("/elsewhere".utf8), Data())
      if let found = try await net.etcd.range(EtcdRange(.key(mark))).keyValues.first {
        versions.insert(found.version)
      }
      return versions.count == 3
    }
    #expect(try await net.machine.claim("net", net.hub)?.state == .live)
    #expect(!net.machine.bridgeLog.contains("may be old"))
  }
}
