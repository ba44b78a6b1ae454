// The bridge's page about rarer failures: a bridge that hangs, a hub that is replaced, a full etcd, lost answers, two of one name.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct FailureTests {
  @Test func aBridgeThatHangsLeavesWritesOpenAndIsNotTrustedAfterThree() async throws {
    let net = try await Bridged()
    net.machine.signalBridge(SIGSTOP)
    for number in 1...3 {
      let refused = await refusal { () async throws(HubError) in
        try await net.hub.anyValue("net.a").set(.integer(Int64(number)))
      }
      #expect(refused?.code == .unanswered)
    }
    try await net.machine.await(.suspended, net.hub)
    #expect(try await net.machine.claim("net", net.hub)?.reason.contains("does not answer") == true)
    net.machine.signalBridge(SIGCONT)
    try await net.machine.await(.live, net.hub)
    // The outcome was unknown: now it is as in etcd.
    try await net.hub.anyValue("net.a").set(.integer(4))
    #expect(try await net.get("a") == "4")
  }

  @Test func aHubThatIsUpgradedKeepsItsBridge() async throws {
    let net = try await Bridged()
    try await net.put("a", "1")
    try await net.expect("net.a", .integer(1))
    let claim = net.hub.watch("statehub.providers.net", policy: .every())
    let states = Task {
      var told: [ClaimStatus.State] = []
      for try await event in claim {
        guard let value = event.value, let status = ClaimStatus(event.name, value) else { continue }
        told.append(status.state)
        if status.state == .vacant { break }
      }
      return told
    }
    for number in 2...20 {
      if number == 10 { net.machine.signalHub(SIGUSR2) }
      try await net.hub.anyValue("net.a").set(.integer(Int64(number)))
    }
    try await eventually("the hub was replaced") { net.machine.hubLog.contains("and takes over") }
    #expect(try await net.get("a") == "20")
    try await net.put("a", "21")
    try await net.expect("net.a", .integer(21))
    net.machine.killBridge()
    #expect(try await states.value == [.live, .vacant])
  }

  @Test func aHubThatIsStoppedAndStartedGetsItsBridgeBack() async throws {
    let net = try await Bridged(hubOptions: [])
    try await net.hub.anyValue("net.a").set(.integer(1))
    try await net.machine.stopHub()
    try await net.put("a", "2")
    try await net.machine.startHub([])
    try await net.machine.await(.live, net.hub)
    #expect(try await net.value("net.a") == .integer(2))
    try await net.hub.anyValue("net.a").set(.integer(3))
    #expect(try await net.get("a") == "3")
  }

  @Test func aFullEtcdIsReportedAndValuesStayLive() async throws {
    let cluster = try await EtcdCluster(options: ["--quota-backend-bytes", "\(16 << 20)"])
    let net = try await Bridged(cluster: cluster)
    try await net.hub.anyValue("net.a").set(.integer(1))
    #expect(try await net.fillEtcd().problem == .noSpace)
    let refused = await refusal { () async throws(HubError) in
      try await net.hub.anyValue("net.a").set(.integer(2))
    }
    #expect(refused?.code == .quota && refused?.message.contains("alarm disarm") == true)
    #expect(try await net.machine.claim("net", net.hub)?.state == .live)
    #expect(try await net.value("net.a") == .integer(1))
    let revision = try await net.etcd.status().header.revision
    try cluster.nodes[0].ctl("compact", "\(revision)")
    try cluster.nodes[0].ctl("defrag")
    try cluster.nodes[0].ctl("alarm", "disarm")
    try await net.hub.anyValue("net.a").set(.integer(3))
    #expect(try await net.get("a") == "3")
  }

  @Test func aBridgeThatFindsAFullEtcdShowsItsValues() async throws {
    let cluster = try await EtcdCluster(options: ["--quota-backend-bytes", "\(16 << 20)"])
    let net = try await Bridged(cluster: cluster)
    try await net.put("a", "1")
    net.machine.killBridge()
    #expect(try await net.fillEtcd().problem == .noSpace)
    try net.machine.startBridge(net.words)
    try await net.machine.await(.live, net.hub)
    #expect(try await net.value("net.a") == .integer(1))
    // Its fence is the former process's.
    try await net.hub.anyValue("net.a").remove()
    #expect(try await net.get("a") == nil)
    #expect(!net.machine.bridgeLog.contains("another bridge writes"))
  }

  @Test func keysAreRemovedFromAFullEtcdEachByOneMachine() async throws {
    let cluster = try await EtcdCluster(options: ["--quota-backend-bytes", "\(16 << 20)"])
    let one = try await Bridged("m1", cluster: cluster)
    let two = try await Bridged("m2", cluster: cluster, other: one)
    let names = (0..<40).map { "net.k\($0)" }
    for name in names { try await one.hub.anyValue(name).set(.integer(1)) }
    let owner = one.machine.connect("owner")
    try await owner.anyValue("net.short").set(.integer(1), lifetime: .whileConnected)
    for name in names + ["net.short"] { try await two.expect(name, .integer(1)) }
    #expect(try await one.fillEtcd().problem == .noSpace)
    let counts = try await withThrowingTaskGroup(of: (name: String, isRemoved: Bool).self) { group in
      for (net, name) in [one, two].flatMap({ net in names.map { (net, $0) } }) {
        group.addTask {
          let error = await refusal { () async throws(HubError) in try await net.hub.anyValue(name).remove() }
          // The other machine's removal was first.
          #expect(error == nil || error?.code == .noSuchStore, "\(String(describing: error))")
          return (name, error == nil)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.name, default: 0] += $1.isRemoved ? 1 : 0 }
    }
    #expect(counts == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
    // The end of a value takes no room, either.
    owner.close()
    for net in [one, two] { try await net.expect("net.short", nil) }
    #expect(try await two.etcd.range(EtcdRange(.prefix(two.prefix + "k"))).count == 0)
  }

  @Test(arguments: [true, false]) func anUnknownOutcomeIsUnanswered(_ isFull: Bool) async throws {
    let cluster = try await EtcdCluster(options: ["--quota-backend-bytes", "\(16 << 20)"])
    let proxy = try Proxy(to: cluster.nodes[0])
    let net = try await Bridged(cluster: cluster, through: proxy)
    try await net.hub.anyValue("net.a").set(.integer(1))
    if isFull { #expect(try await net.fillEtcd().problem == .noSpace) }
    proxy.set(isFull ? .deafToRemovals : .deaf)
    async let refused = refusal { () async throws(HubError) in
      if isFull {
        try await net.hub.anyValue("net.a").remove()
      } else {
        try await net.hub.anyValue("net.a").set(.integer(2))
      }
    }
    if isFull {
      // A removal from a full etcd has no ticket, so its lost answer cannot be found out.
      try await eventually("etcd has done it") { try await net.get("a") == nil }
    } else {
      try await eventually("etcd has done it") { try await net.get("a") == "2" }
      // The change is compacted before the bridge receives it.
      try await net.etcd.compact(before: try await net.put("b", "1"))
    }
    proxy.set(.cut)
    proxy.set(.open)
    #expect(await refused?.code == .unanswered)
    try await net.expect("net.a", isFull ? nil : .integer(2))
  }

  @Test func aBridgeThatASignalEndsLeavesWritesUnanswered() async throws {
    let cluster = try await EtcdCluster()
    let proxy = try Proxy(to: cluster.nodes[0])
    let net = try await Bridged(cluster: cluster, through: proxy)
    proxy.set(.deaf)
    async let refused = refusal { () async throws(HubError) in
      try await net.hub.anyValue("net.a").set(.integer(1))
    }
    try await eventually("etcd has done it") { try await net.get("a") == "1" }
    net.machine.signalBridge(SIGTERM)
    #expect(await refused?.code == .unanswered)
    try await net.machine.await(.vacant, net.hub)
  }

  @Test(arguments: [true, false]) func anUndeclaredClaimIsReported(_ isDeclared: Bool) async throws {
    let net = try await Bridged(
      configuration: isDeclared
        ? #"{providers: {net: {stores: ["net.**", "statehub-bridge.net.**"], users: "user:\#(NSUserName())"}}}"#
        : "{}")
    let said = "does not declare the claim net"
    if !isDeclared { try await eventually("it is said") { net.machine.bridgeLog.contains(said) } }
    let output = try GuardedProcess.run(
      [try Programs.bridge, "etcd"] + net.words + ["--check", "--socket", net.machine.socket],
      in: net.machine.directory.path)
    #expect(output.contains(said) != isDeclared)
    #expect(net.machine.bridgeLog.contains(said) != isDeclared)
  }

  @Test func twoBridgesOfOneNameLoseNothingAndReportIt() async throws {
    let one = try await Bridged("m1")
    let two = try await Bridged("m1", other: one)
    let (first, second) = (one.hub.value("net.n", of: Int.self), two.hub.value("net.n", of: Int.self))
    try await first.set(0)
    try await two.expect("net.n", .integer(0))
    for number in 1...10 {
      try await (number % 2 == 0 ? first : second).add(1)
      for machine in [one, two] { try await machine.expect("net.n", .integer(Int64(number))) }
    }
    #expect(try await one.get("n") == "10")
    let said = [one, two].contains {
      $0.machine.bridgeLog.contains("another bridge writes")
        && $0.machine.bridgeLog.contains("give each machine its own --name")
    }
    #expect(said)
  }
}
