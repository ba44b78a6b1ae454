// Bridges and hubs that end and return, and an etcd that has compacted or lost the changes in between.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct ResumeTests {
  @Test func aKilledBridgeResumesWithEveryChange() async throws {
    let net = try await Bridged()
    try await net.put("n", "0")
    try await net.expect("net.n", .integer(0))
    let watcher = Task { [hub = net.hub] in
      var told: [HubValue?] = []
      for try await event in hub.watch("net.n", policy: .every()) where event.kind.isAboutStore {
        told.append(event.value)
        if event.value == .integer(20) { break }
      }
      return told
    }
    try await net.put("other", "1")
    try await net.expect("net.other", .integer(1))
    let before = try await net.hub.describe("net.other").state.version
    net.machine.killBridge()
    try await net.machine.await(.vacant, net.hub)
    let away = await refusal { () async throws(HubError) in
      try await net.hub.anyValue("net.n").set(.integer(99))
    }
    #expect(away?.code == .unavailable)
    for number in 1...20 { try await net.put("n", "\(number)") }
    try net.machine.startBridge(net.words)
    try await net.machine.await(.live, net.hub)
    #expect(try await watcher.value == (0...20).map { .integer(Int64($0)) })
    #expect(!net.machine.bridgeLog.contains("read all keys"))
    #expect(try await net.hub.describe("net.other").state.version == before)
    // What an earlier process has published can be written.
    #expect(try await net.hub.value("net.other", of: Int.self).add(1) == 2)
    #expect(try await net.get("other") == "2")
  }

  @Test func aBridgeThatFindsNoEtcdAtItsStartResumesLater() async throws {
    let cluster = try await EtcdCluster()
    let net = try await Bridged(cluster: cluster)
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    net.machine.killBridge()
    try await net.put("a", "2")
    cluster.nodes[0].kill()
    try net.machine.startBridge(net.words)
    try await net.machine.await(.suspended, net.hub)
    try await eventually("it is said") { net.machine.bridgeLog.contains("net: the values may be old") }
    try await cluster.restart(cluster.nodes[0])
    try await net.machine.await(.live, net.hub)
    #expect(try await net.value("net.a") == .integer(2))
    #expect(!net.machine.bridgeLog.contains("read all keys"))
  }

  @Test func aBridgeWithoutAHubReportsThatItWaits() async throws {
    let machine = try Machine("m1")
    try machine.startBridge(["--endpoints", "http://127.0.0.1:1", "--prefix", "/p/", "--as", "net"])
    try await eventually("it is said") {
      machine.bridgeLog.contains("net: waiting for the hub: no hub listens")
    }
  }

  @Test func aKilledHubGetsEverythingAgain() async throws {
    let net = try await Bridged()
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    net.machine.killHub()
    try await eventually("it is logged") { net.machine.bridgeLog.contains("net: waiting for the hub") }
    try await net.put("b", "2")
    try await net.machine.startHub()
    try await net.machine.await(.live, net.hub)
    #expect(try await net.value("net.a") == .integer(1))
    #expect(try await net.value("net.b") == .integer(2))
    try await net.hub.anyValue("net.a").set(.integer(3))
    #expect(try await net.get("a") == "3")
  }

  @Test func afterACompactionOnlyDifferencesArePublished() async throws {
    let net = try await Bridged(cluster: try await EtcdCluster())
    for number in 0..<5 { try await net.put("k\(number)", "0") }
    try await net.expect("net.k4", .integer(0))
    net.machine.killBridge()
    try await net.put("k0", "1")
    try await net.etcd.delete(.key(net.key("k1")))
    try await net.put("new", "1")
    let revision = try await net.put("k0", "2")
    try await net.etcd.compact(before: revision)
    let versions = try await net.hub.list("net.*").map { ($0.name, $0.version) }
    try net.machine.startBridge(net.words)
    try await net.machine.await(.live, net.hub)
    #expect(net.machine.bridgeLog.contains("read all keys"))
    let now = Dictionary(uniqueKeysWithValues: try await net.hub.list("net.*").map { ($0.name, $0.version) })
    #expect(Set(now.keys) == ["net.k0", "net.k2", "net.k3", "net.k4", "net.new"])
    for (name, version) in versions where !["net.k0", "net.k1"].contains(name) {
      #expect(now[name] == version)
    }
    #expect(try await net.value("net.k0") == .integer(2))
  }

  @Test func aChangedKindOfValuesOrPrefixIsReadFromTheBeginning() async throws {
    let net = try await Bridged()
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    net.machine.killBridge()
    try net.machine.startBridge(net.words + ["--values", "text"])
    try await net.machine.await(.live, net.hub)
    #expect(try await net.value("net.a") == .string("1"))
    net.machine.killBridge()
    let other = "/\(UUID().uuidString)/"
    try await net.etcd.put(Data("\(other)b".utf8), Data("2".utf8))
    try net.machine.startBridge(Array(net.words.dropLast(4)) + ["--prefix", other, "--as", "net"])
    try await net.machine.await(.live, net.hub)
    #expect(try await net.value("net.a") == nil)
    #expect(try await net.value("net.b") == .integer(2))
  }

  @Test func anEtcdRestoredFromABackupMeanwhileIsReadAgain() async throws {
    let cluster = try await EtcdCluster()
    let (net, node) = (try await Bridged(cluster: cluster), cluster.nodes[0])
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    try node.saveSnapshot()
    try await net.put("a", "2")
    let published = try await net.put("gone", "1")
    try await net.expect("net.gone", .integer(1))
    net.machine.killBridge()
    node.kill()
    try node.restoreSnapshot(members: cluster.nodes)
    try await cluster.restart(node)
    // Other changes get the same revisions, among them one of the same key.
    for number in 1... { if try await net.put("gone", "\(number + 10)") > published + 3 { break } }
    try await net.etcd.delete(.key(net.key("gone")))
    try net.machine.startBridge(net.words)
    try await net.machine.await(.live, net.hub)
    #expect(try await net.value("net.a") == .integer(1))
    #expect(try await net.value("net.gone") == nil)
    #expect(net.machine.bridgeLog.contains("restored from a backup"))
  }

  @Test func anEtcdRestoredUnderARunningBridgeIsReadAgain() async throws {
    let cluster = try await EtcdCluster()
    let node = cluster.nodes[0]
    let proxy = try Proxy(to: node)
    let net = try await Bridged(cluster: cluster, through: proxy)
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    try node.saveSnapshot()
    try await net.put("a", "2")
    let published = try await net.put("gone", "1")
    try await net.expect("net.gone", .integer(1))
    proxy.set(.cut)
    node.kill()
    try node.restoreSnapshot(members: cluster.nodes)
    try await cluster.restart(node)
    for number in 1... { if try await net.put("gone", "\(number + 10)") > published + 3 { break } }
    proxy.set(.open)
    try await net.expect("net.a", .integer(1))
    try await net.machine.await(.live, net.hub)
  }

  @Test func aSignalEndsTheBridgeCleanly() async throws {
    let net = try await Bridged()
    net.machine.signalBridge(SIGTERM)
    try await net.machine.await(.vacant, net.hub)
  }
}
