// Many keys, large values, and keys that no store can show, which are counted and logged.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import FoundationNetworking
import HubClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct ScaleTests {
  @Test func tenThousandKeysAreThereAndChange() async throws {
    let net = try await Bridged { etcd, prefix in
      for first in stride(from: 0, to: 10_000, by: 100) {
        let puts = (first..<first + 100).map {
          EtcdOperation.put(Data("\(prefix)machine-\($0)/state".utf8), value: Data("\($0)".utf8))
        }
        _ = try await etcd.transact(EtcdTransaction(success: puts))
      }
    }
    #expect(try await net.hub.list("net.**").count == 10_000)
    #expect(try await net.value("net.machine-9999.state") == .integer(9999))
    try await net.put("machine-5000/state", "-1")
    try await net.expect("net.machine-5000.state", .integer(-1))
    try await net.etcd.delete(.prefix("\(net.prefix)machine-1"))
    try await net.expect("net.machine-19.state", nil)
    #expect(try await net.hub.list("net.**").count == 10_000 - 1111)
  }

  @Test func keysWithoutAStoreAreCountedAndReported() async throws {
    let folder = try TemporaryDirectory()
    let metrics = "\(folder.path)/bridge.prom"
    let long = String(repeating: "long/", count: 60)
    let net = try await Bridged(options: ["--metrics", metrics]) { etcd, prefix in
      try await etcd.put(Data((prefix + long).utf8), Data("1".utf8))
      try await etcd.put(Data("\(prefix)broken".utf8), Data("{".utf8))
      try await etcd.put(
        Data("\(prefix)large".utf8), Data("\"\(String(repeating: "x", count: 1 << 20))\"".utf8))
      try await etcd.put(Data("\(prefix)good".utf8), Data("1".utf8))
      try await etcd.put(Data("\(prefix)odd .é".utf8), Data("1".utf8))
    }
    #expect(try await net.hub.list("net.**").map(\.name) == ["net.good", "net.odd_x20_x2e_xc3_xa9"])
    for word in ["longer than", "not JSON", "1048578 bytes"] { #expect(net.machine.bridgeLog.contains(word)) }
    try await eventually("they are counted", within: .seconds(30)) {
      Bridged.figure("statehub_bridge_keys_without_store", Files.read(metrics)) == 3
    }
    // A value that becomes valid gets a store, and one that becomes invalid loses it.
    try await net.put("broken", "{}")
    try await net.expect("net.broken", .json("{}"))
    try await net.put("good", "?")
    try await net.expect("net.good", nil)
    // A write to its store replaces it.
    try await net.hub.anyValue("net.good").set(.integer(2))
    #expect(try await net.get("good") == "2")
    net.machine.killBridge()
    try net.machine.startBridge(net.words)
    try await net.machine.await(.live, net.hub)
    // They are counted again, which requires reading all keys.
    #expect(net.machine.bridgeLog.contains("2 keys have no store"))
  }

  @Test func declaredStoresKeepTheirTypes() async throws {
    let configuration = """
      {stores: {"net.level": {type: "double", minimum: 0, maximum: 10, initial: 1}, "net.flag": {type: "boolean"}}}
      """
    let net = try await Bridged(configuration: configuration) { etcd, prefix in
      try await etcd.put(Data("\(prefix)level".utf8), Data("5".utf8))
      try await etcd.put(Data("\(prefix)flag".utf8), Data("\"no\"".utf8))
    }
    #expect(try await net.value("net.level") == .double(5))
    #expect(try await net.value("net.flag") == .boolean(false))
    try await net.put("level", "11")
    try await net.expect("net.level", .double(1))
    #expect(net.machine.bridgeLog.contains("level has no store"))
    try await net.put("level", "7.5")
    try await net.expect("net.level", .double(7.5))
    try await net.hub.anyValue("net.level").set(.double(3))
    #expect(try await net.get("level") == "3.0")
    let high = await refusal { () async throws(HubError) in
      try await net.hub.anyValue("net.level").set(.double(30))
    }
    #expect(high?.code == .outOfRange)
  }

  @Test func metricsAreServedOverHTTP() async throws {
    let address = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).7:9498"
    let net = try await Bridged(options: ["--metrics", address])
    let (data, response) = try await URLSession.shared.data(
      from: #require(URL(string: "http://\(address)/metrics")))
    let text = String(decoding: data, as: UTF8.self)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(text.hasSuffix("# EOF\n"))
    #expect(Bridged.figure("statehub_bridge_live", text) == 1)
    _ = net
  }

  @Test func severalPrefixesAreSeveralClaims() async throws {
    let other = "/\(UUID().uuidString)/"
    let net = try await Bridged(options: ["--prefix", other, "--as", "site.b", "--values", "data"])
    try await net.machine.await(.live, net.hub, claim: "site.b")
    try await net.hub.anyValue("site.b.x").set(.data([1, 2]))
    #expect(try await net.etcd.range(EtcdRange(.key("\(other)x"))).keyValues.first?.value == Data([1, 2]))
    try await net.put("x", "1")
    try await net.expect("net.x", .integer(1))
    let both = await refusal { () async throws(HubError) in
      try await net.hub.transaction {
        $0.set(net.hub.anyValue("net.x"), to: .integer(2))
        $0.set(net.hub.anyValue("site.b.x"), to: .data([]))
      }
    }
    #expect(both?.code == .notSupported)
  }

  @Test func aHubThatTakesShortMessagesOnlyGetsShortOnes() async throws {
    let net = try await Bridged(configuration: "{maxFrameBytes: 65536}") { etcd, prefix in
      for number in 0..<10 {
        try await etcd.put(
          Data("\(prefix)k\(number)".utf8), Data("\"\(String(repeating: "x", count: 30_000))\"".utf8))
      }
      try await etcd.put(
        Data("\(prefix)large".utf8), Data("\"\(String(repeating: "x", count: 100_000))\"".utf8))
    }
    #expect(try await net.hub.list("net.**").count == 10)
    #expect(net.machine.bridgeLog.contains("large has no store"))
  }

  @Test func aHubWithoutRoomForAllKeysShowsTheOthers() async throws {
    let net = try await Bridged(configuration: "{maxStores: 30}") { etcd, prefix in
      for number in 0..<40 {
        try await etcd.put(
          Data("\(prefix)k\(number)".utf8), Data("\"\(String(repeating: "x", count: 50))\"".utf8))
      }
    }
    let shown = try await net.hub.list("net.**").count
    #expect((5..<40).contains(shown))
    #expect(net.machine.bridgeLog.contains("\(40 - shown) keys have no store"))
  }

  /// Small keys first: the pages have grown when the large keys come. `LARGE_KEYS` is how many of these there are.
  @Test func largeKeysAreReadInPagesThatArriveAndFit() async throws {
    let count = ProcessInfo.processInfo.environment["LARGE_KEYS"].flatMap { Int($0) } ?? 100
    let clock = ContinuousClock()
    let net = try await Bridged(
      cluster: try await EtcdCluster(), options: ["--values", "data"], loading: .seconds(120)
    ) { etcd, prefix in
      for number in 0..<50 { try await etcd.put(Data("\(prefix)a\(number)".utf8), Data(count: 10)) }
      for number in 0..<count {
        try await etcd.put(Data("\(prefix)k\(number)".utf8), Data(count: 1_000_000))
      }
    }
    #expect(try await net.hub.list("net.**").count == 50 + count)
    let peak = try #require(net.machine.bridgePeakMemory)
    #expect(peak < 200 << 20)
    net.machine.killBridge()
    net.machine.killHub()
    try await net.machine.startHub()
    try net.machine.startBridge(net.words)
    let time = try await clock.measure {
      try await net.machine.await(.live, net.hub, within: .seconds(120))
    }
    print("\(count) keys of 1 MB: live after \(time), \(peak >> 20) MiB at most")
  }
}
