// Writes on a machine as changes of etcd: accepted, refused, re-evaluated, and with unknown outcomes.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct WriteTests {
  @Test func nothingIsLostIfMachinesCountAtTheSameTime() async throws {
    let one = try await Bridged("m1")
    let two = try await Bridged("m2", other: one)
    try await one.put("n", "0")
    for net in [one, two] { try await net.expect("net.n", .integer(0)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for net in [one, two] {
        group.addTask {
          for _ in 0..<40 { try await net.hub.value("net.n", of: Int.self).update { $0 += 1 } }
        }
        // Unconditional writes are re-evaluated by the hub itself.
        group.addTask { for _ in 0..<20 { try await net.hub.value("net.n", of: Int.self).add(1) } }
      }
      try await group.waitForAll()
    }
    #expect(try await one.get("n") == "120")
    for net in [one, two] { try await net.expect("net.n", .integer(120)) }
  }

  @Test func manyStoresAreWrittenAtATime() async throws {
    let net = try await Bridged()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { try await net.hub.value("net.k\(number)", of: Int.self).set(number) }
      }
      try await group.waitForAll()
    }
    #expect(try await net.etcd.range(EtcdRange(.prefix(net.prefix + "k"))).count == 200)
  }

  @Test func conditionsHoldAgainstEtcd() async throws {
    let net = try await Bridged()
    let a = net.hub.value("net.a", of: Int.self)
    try await a.set(1)
    let old = try await a.read()
    try await net.put("a", "2")
    // 2 is not overwritten, whether or not the hub has it already.
    let error = await refusal { () async throws(HubError) in try await a.set(3, if: .unchanged(since: old)) }
    #expect(error?.code == .conflict)
    #expect(try await net.get("a") == "2")
    let absent = await refusal { () async throws(HubError) in try await a.set(3, if: .absent) }
    #expect(absent?.code == .conflict)
  }

  @Test func unsupportedValuesAndNamesAreRefused() async throws {
    let net = try await Bridged()
    func code(_ name: String, _ value: HubValue) async -> HubError.Code? {
      await refusal { () async throws(HubError) in try await net.hub.anyValue(name).set(value) }?.code
    }
    #expect(await code("net.a", .data([1])) == .typeMismatch)
    #expect(await code("net._x41", .integer(1)) == .refused)
    #expect(await code("net", .integer(1)) == .refused)
    #expect(await code("net._x2ebridge.m1", .integer(1)) == .refused)
    #expect(await code("statehub-bridge.net.revision", .json("1")) == .refused)
    let schema = Schema(type: .integer, minimum: .integer(0))
    let created = await refusal { () async throws(HubError) in try await net.hub.create("net.b", schema) }
    #expect(created?.code == .refused)
    let longest = await code("net.c", .string(String(repeating: "x", count: 1_040_000)))
    #expect(longest == nil)
    #expect(try await net.get("c")?.utf8.count == 1_040_002)
    #expect(try await net.get("a") == nil)
  }

  @Test func anAnswerThatIsLostIsFoundOut() async throws {
    let cluster = try await EtcdCluster()
    let proxy = try Proxy(to: cluster.nodes[0])
    let net = try await Bridged(cluster: cluster, through: proxy)
    let counter = net.hub.value("net.n", of: Int.self)
    try await counter.set(0)
    for expected in 1...3 {
      // The change is made, and its answer is lost. The way is open again before the writer's time is over.
      proxy.set(.deaf)
      async let added = counter.add(1)
      try await eventually("etcd has it") { try await net.get("n") == "\(expected)" }
      proxy.set(.cut)
      proxy.set(.open)
      #expect(try await added == expected)
    }
    #expect(try await counter.get() == 3)
    try await net.machine.await(.live, net.hub)
  }

  @Test func ephemeralValuesEndWithTheirSetterAndWithTheMachine() async throws {
    let one = try await Bridged("m1")
    let two = try await Bridged("m2", other: one)
    let setter = one.machine.connect("setter")
    try await setter.value("net.here", of: String.self).set("m1", lifetime: .whileConnected)
    try await two.expect("net.here", .string("m1"))
    setter.close()
    try await two.expect("net.here", nil)
    try await one.expect("net.here", nil)
    var short = two.hub.watch("net.short", policy: .every()).makeAsyncIterator()
    while let event = try await short.next(), event.kind != .synced {}
    try await one.hub.value("net.short", of: Int.self).set(1, lifetime: .expires(after: .seconds(1)))
    while let event = try await short.next(), event.value != .integer(1) {}
    while let event = try await short.next(), event.kind != .removed {}
    #expect(try await one.get("short") == nil)

    let other = one.machine.connect("other")
    try await other.value("net.here", of: String.self).set("again", lifetime: .whileConnected)
    try await two.expect("net.here", .string("again"))
    // Another bridge on the same machine keeps it.
    one.machine.killBridge()
    try one.machine.startBridge(one.words)
    try await one.machine.await(.live, one.hub)
    // The whole machine fails: only etcd is left to end it.
    one.machine.killBridge()
    one.machine.killHub()
    try await two.expect("net.here", nil, within: .seconds(40))
  }

  @Test func aRevokedLeaseIsReplacedByTheNextEphemeralValue() async throws {
    let net = try await Bridged(cluster: try await EtcdCluster())
    let setter = net.machine.connect("setter")
    try await setter.value("net.a", of: Int.self).set(1, lifetime: .whileConnected)
    var told = setter.watch("net.a", policy: .every()).makeAsyncIterator()
    while let event = try await told.next(), event.value != .integer(1) {}
    let found = try #require(try await net.etcd.range(EtcdRange(.key(net.key("a")))).keyValues.first)
    try await net.etcd.revokeLease(found.lease)
    try await setter.value("net.b", of: Int.self).set(2, lifetime: .whileConnected)
    #expect(try await net.get("b") == "2")
    // Its setter's own watch reports it.
    while let event = try await told.next(), event.kind != .removed {}
    try await net.expect("net.a", nil)
    #expect(net.machine.bridgeLog.contains("the lease of this machine's ephemeral values has ended"))
  }
}
