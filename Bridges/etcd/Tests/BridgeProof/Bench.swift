// Times: many keys at a start and at a restart, and from a change in etcd to its event in a hub's client.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient

struct Bench {
  let keys: Int

  func run() async throws {
    let cluster = try await EtcdCluster()
    let etcd = try EtcdClient(cluster.settings)
    for first in stride(from: 0, to: keys, by: 100) {
      let puts = (first..<min(first + 100, keys)).map {
        EtcdOperation.put(
          Data("/bench/machine-\($0)/state".utf8),
          value: Data("\"\(String(repeating: "v", count: 30))\"".utf8))
      }
      _ = try await etcd.transact(EtcdTransaction(success: puts))
    }
    let machine = try Machine("m1")
    try await machine.startHub()
    let hub = machine.connect()
    let words = ["--endpoints", cluster.nodes[0].url, "--prefix", "/bench/", "--as", "net"]
    for _ in 0..<3 {
      let clock = ContinuousClock.now
      let lines = try cluster.nodes[0].ctl("get", "--prefix", "/bench/machine").split(separator: "\n").count
      print("etcdctl get --prefix: \(text(clock)), \(lines / 2) keys")
      try await start(machine, hub, words, "first load")
      machine.killBridge()
      try await machine.await(.vacant, hub)
      try await start(machine, hub, words, "resume")
      machine.killBridge()
      try await machine.await(.vacant, hub)
      // A hub without the record: everything is read again.
      machine.killHub()
      try await machine.startHub()
    }
    try machine.startBridge(words)
    try await machine.await(.live, hub)
    try await latency(etcd, hub, cluster)
  }

  private func start(_ machine: Machine, _ hub: Hub, _ words: [String], _ what: String) async throws {
    let clock = ContinuousClock.now
    try machine.startBridge(words)
    try await machine.await(.live, hub)
    let count = try await hub.list("net.**").count
    print("\(what): \(text(clock)) from the process's start to live, \(count) stores")
  }

  /// From the call of `put` until its event arrives, alternately at a client of the hub and at etcdctl.
  private func latency(_ etcd: EtcdClient, _ hub: Hub, _ cluster: EtcdCluster) async throws {
    let key = Data("/bench/tick".utf8)
    let first = try await etcd.put(key, Data("0".utf8))
    var other = try EtcdctlWatch(of: cluster.nodes[0].url, "/bench/tick", from: first)
    defer { other.end() }
    other.wait(for: "0")
    var events = hub.watch("net.tick", policy: .every()).makeAsyncIterator()
    var (inHub, atEtcdctl): ([Duration], [Duration]) = ([], [])
    for number in 1...4000 {
      let clock = ContinuousClock.now
      async let put = etcd.put(key, Data("\(number)".utf8))
      if number / 500 % 2 == 0 {
        while let event = try await events.next(), event.value != .integer(Int64(number)) {}
        inHub.append(ContinuousClock.now - clock)
      } else {
        other.wait(for: "\(number)")
        atEtcdctl.append(ContinuousClock.now - clock)
      }
      _ = try await put
    }
    print("put to event in a hub's client: \(spread(inHub))")
    print("put to event at etcdctl watch: \(spread(atEtcdctl))")
    let tick = hub.value("net.tick", of: Int.self)
    var times: [Duration] = []
    for number in 1...2000 {
      let clock = ContinuousClock.now
      try await tick.set(-number)
      times.append(ContinuousClock.now - clock)
    }
    print("set through the hub, acknowledged: \(spread(times))")
  }

  private func text(_ clock: ContinuousClock.Instant) -> String { milliseconds(ContinuousClock.now - clock) }

  private func milliseconds(_ duration: Duration) -> String {
    "\(Double(Int(duration / .microseconds(10))) / 100) ms"
  }

  private func spread(_ times: [Duration]) -> String {
    let sorted = times.sorted()
    return
      "p50 \(milliseconds(sorted[sorted.count / 2])), p99 \(milliseconds(sorted[sorted.count * 99 / 100]))"
  }
}

/// `etcdctl watch` of one key. Waiting for its lines blocks.
private struct EtcdctlWatch {
  private let process = Process()
  private let pipe = Pipe()
  private var text = ""

  init(of endpoint: String, _ key: String, from revision: Int64) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "ETCDCTL_API=3", "etcdctl", "--endpoints", endpoint, "watch", "--rev", "\(revision)", key,
    ]
    process.standardOutput = pipe
    try process.run()
  }

  mutating func wait(for value: String) {
    while true {
      if let line = text.range(of: "\n\(value)\n") {
        text.removeSubrange(..<line.upperBound)
        return
      }
      text += String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    }
  }

  func end() { process.terminate() }
}
