// Two machines and three members, all of which fail in turn.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient

struct Proof {
  private let seconds: Int
  private let cluster: EtcdCluster
  private let proxies: [Proxy]
  private let machines: [Machine]
  private let words: [[String]]
  private let prefix = "/proof/"

  init(seconds: Int) async throws {
    self.seconds = max(10, seconds)
    cluster = try await EtcdCluster(3)
    proxies = try cluster.nodes.map { try Proxy(to: $0) }
    machines = [try Machine("m1"), try Machine("m2")]
    let direct = cluster.nodes.map(\.url).joined(separator: ",")
    // The second machine's ways can be cut.
    let cuttable = proxies.map(\.url).joined(separator: ",")
    words = [direct, cuttable].map { ["--endpoints", $0, "--prefix", "/proof/", "--as", "net"] }
  }

  func run() async throws -> Bool {
    let etcd = try EtcdClient(cluster.settings)
    try await etcd.put(Data("\(prefix)counter".utf8), Data("0".utf8))
    for (machine, words) in zip(machines, words) {
      try await machine.startHub()
      try machine.startBridge(words)
      try await machine.await(.live, machine.connect())
    }
    let history = History()
    let witnesses = machines.map { Witness($0.name, $0, history) }
    let writers = machines.indices.map { Writer($0, machines[$0]) }
    let watching = observe(history, witnesses)
    defer { for task in watching { task.cancel() } }
    let writing = writers.map { writer in Task { await writer.run() } }
    try await trouble()
    for task in writing { task.cancel() }
    for task in writing { await task.value }
    for machine in machines { try await machine.await(.live, machine.connect(), within: .seconds(60)) }
    return try await judge(etcd, history, witnesses, writers.map(\.result))
  }

  private func observe(_ history: History, _ witnesses: [Witness]) -> [Task<Void, Never>] {
    var tasks = cluster.nodes.map { node in
      Task { [prefix] in
        var settings = EtcdSettings(endpoints: [node.url])
        settings.watchCheck = .seconds(1)
        await history.follow(settings, prefix)
      }
    }
    for witness in witnesses {
      tasks.append(Task { await witness.watch() })
      tasks.append(Task { await witness.judge() })
    }
    return tasks
  }

  /// Every two seconds the leader is killed. In between a hub, a bridge, and a machine's way to etcd.
  private func trouble() async throws {
    let start = ContinuousClock.now
    var (leaders, hubs, bridges, cuts) = (0, 0, 0, 0)
    while ContinuousClock.now - start < .seconds(seconds) {
      let leader = try await cluster.leader()
      leader.kill()
      leaders += 1
      // One more failure, alternately, so that a short run has all of them, too.
      switch leaders % 5 {
      case 1:
        machines[0].killHub()
        hubs += 1
        try await Task.sleep(for: .milliseconds(300))
        try await machines[0].startHub()
      case 2:
        machines[1].killBridge()
        bridges += 1
        try await Task.sleep(for: .milliseconds(300))
        try machines[1].startBridge(words[1])
      case 3:
        for proxy in proxies { proxy.set(.hole) }
        cuts += 1
      case 4: break
      default:
        for proxy in proxies {
          proxy.set(.cut)
          proxy.set(.open)
        }
      }
      try leader.start(members: cluster.nodes)
      try await Task.sleep(until: start + .seconds(2 * leaders))
    }
    for proxy in proxies {
      proxy.set(.cut)
      proxy.set(.open)
    }
    print(
      "\(seconds) s: killed \(leaders) leaders, \(hubs) hubs, \(bridges) bridges; cut a machine off \(cuts) times"
    )
  }

  private func judge(
    _ etcd: EtcdClient, _ history: History, _ witnesses: [Witness], _ accounts: [Writer.Account]
  ) async throws -> Bool {
    let found = try await etcd.range(EtcdRange(.key("\(prefix)counter"))).keyValues.first
    let counter = found.flatMap { Int(String(decoding: $0.value, as: UTF8.self)) } ?? -1
    try await eventually("the hubs and etcd's own watch have come to \(counter)") {
      let last = Step(name: "net.counter", value: "\(counter)")
      guard history.place(of: last) != nil else { return false }
      for witness in witnesses
      where try await witness.hub.value("net.counter", of: Int.self).get() != counter {
        return false
      }
      return true
    }
    // The last changes may still be on their way to the witnesses.
    try await Task.sleep(for: .milliseconds(500))
    let (acknowledged, unknown) = (
      accounts.reduce(0) { $0 + $1.acknowledged }, accounts.reduce(0) { $0 + $1.unknown }
    )
    print("counter \(counter); acknowledged \(acknowledged), not known \(unknown)")
    for (number, account) in accounts.enumerated() {
      print(
        "writer \(number + 1): acknowledged \(account.acknowledged), conflicts \(account.conflicts), unavailable \(account.unavailable), not known \(account.unknown), longest pause \(account.longestPause) \(account.others)"
      )
    }
    var problems = witnesses.flatMap { $0.compare() }
    if counter < acknowledged || counter > acknowledged + unknown {
      problems.append("the counter is \(counter): it must be \(acknowledged) to \(acknowledged + unknown)")
    }
    if acknowledged == 0 { problems.append("nothing was acknowledged") }
    for witness in witnesses {
      let told = witness.parts.reduce(0) { $0 + $1.changes.count }
      print(
        "\(witness.name): told \(told) of etcd's \(history.count) changes in \(witness.parts.count) parts; longest behind etcd \(witness.longest.all), while live \(witness.longest.live)"
      )
      if told == 0 { problems.append("\(witness.name) was told nothing") }
    }
    for problem in problems.prefix(20) { print("BROKEN \(problem)") }
    for machine in machines where !problems.isEmpty || ProcessInfo.processInfo.environment["PROOF_LOG"] != nil
    { print(machine.bridgeLog.suffix(3000)) }
    if problems.isEmpty {
      print(
        "held: no increment lost or doubled, no gap, no repetition, no other order, nothing old that was live"
      )
    }
    return problems.isEmpty
  }
}
