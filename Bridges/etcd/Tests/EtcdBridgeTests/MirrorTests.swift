// Keys of a real etcd as stores of a real hub.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct MirrorTests {
  @Test func keysAreStoresFromTheBeginningAndWithEveryChange() async throws {
    let net = try await Bridged { etcd, prefix in
      try await etcd.put(Data("\(prefix)a/b".utf8), Data("1".utf8))
      try await etcd.put(Data("\(prefix)on".utf8), Data("true".utf8))
      try await etcd.put(Data("\(prefix)load".utf8), Data("0.5".utf8))
      try await etcd.put(Data("\(prefix)name".utf8), Data("\"x\"".utf8))
      try await etcd.put(Data("\(prefix)list".utf8), Data("[1, 2]".utf8))
    }
    // All values are there when the claim is live.
    #expect(try await net.value("net.a.b") == .integer(1))
    #expect(try await net.value("net.on") == .boolean(true))
    #expect(try await net.value("net.load") == .double(0.5))
    #expect(try await net.value("net.name") == .string("x"))
    #expect(try await net.value("net.list") == .json("[1, 2]"))
    try await net.put("a/b", "2")
    try await net.expect("net.a.b", .integer(2))
    try await net.etcd.delete(.key(net.key("on")))
    try await net.expect("net.on", nil)
    // Another type, another store.
    try await net.put("name", "7")
    try await net.expect("net.name", .integer(7))
    // A store of doubles stays one for an integer.
    try await net.put("load", "1")
    try await net.expect("net.load", .double(1))
  }

  @Test func oneRevisionIsOneTransaction() async throws {
    let net = try await Bridged()
    let views = Task { [hub = net.hub] in
      var seen: [(HubValue?, HubValue?)] = []
      for try await view in hub.watch("net.*").views {
        seen.append((view.values["net.x"], view.values["net.y"]))
        if view.values["net.x"] == .integer(50) { break }
      }
      return seen
    }
    for number in 1...50 {
      let value = Data("\(number)".utf8)
      _ = try await net.etcd.transact(
        EtcdTransaction(success: [.put(net.key("x"), value: value), .put(net.key("y"), value: value)]))
    }
    for (x, y) in try await views.value { #expect(x == y) }
  }

  @Test func aWriteReachesEtcdAndEveryOtherMachine() async throws {
    let one = try await Bridged("m1")
    let two = try await Bridged("m2", other: one)
    try await one.hub.anyValue("net.a").set(.integer(5))
    // When the writer has its answer, the value is in etcd and in this hub.
    #expect(try await one.get("a") == "5")
    #expect(try await one.value("net.a") == .integer(5))
    try await two.expect("net.a", .integer(5))
    let sum = try await two.hub.value("net.a", of: Int.self).add(2)
    #expect(sum == 7)
    #expect(try await one.get("a") == "7")
    try await one.expect("net.a", .integer(7))
    try await one.hub.anyValue("net.a").remove()
    #expect(try await one.get("a") == nil)
    try await two.expect("net.a", nil)
    // A transaction is one revision.
    let revision = try await one.put("mark", "0")
    try await one.expect("net.mark", .integer(0))
    try await one.hub.transaction {
      $0.set(one.hub.anyValue("net.p"), to: .string("x"))
      $0.set(one.hub.anyValue("net.q"), to: .boolean(false))
    }
    let found = try await one.etcd.range(EtcdRange(.prefix(one.prefix))).keyValues.filter {
      $0.modRevision > revision
    }
    #expect(Set(found.map(\.modRevision)).count == 1)
    #expect(found.count == 3)  // p, q, and the bridge's own.
  }
}
