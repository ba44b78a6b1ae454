// Measures the gateway against members of etcd that it starts itself:
//
//   swift run -c release etcd-gateway-bench [NODES [COUNT [KEYS]]]
//
// NODES is 1 by default, COUNT 5000 requests of each kind, KEYS 10000. ETCD_GATEWAY_DIRECTORY is where they keep their data:
// in memory (/dev/shm) by default, because a disk that syncs would be what is measured.

import EtcdGateway
import EtcdProcesses
import FoundationEssentials
import Glibc

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let nodes = arguments.first ?? 1
let count = arguments.dropFirst().first ?? 5000
let keys = arguments.dropFirst(2).first ?? 10000

let cluster = try await EtcdCluster(nodes)
let client = try EtcdClient(cluster.settings)
print("\(nodes) nodes of etcd \(try await client.status().version), \(count) of each, milliseconds")

/// Microseconds of processor time that this process has used.
func processorTime() -> Double {
  var usage = rusage()
  getrusage(RUSAGE_SELF.rawValue, &usage)
  let (user, system) = (usage.ru_utime, usage.ru_stime)
  return Double(user.tv_sec + system.tv_sec) * 1e6 + Double(user.tv_usec + system.tv_usec)
}

/// Prints how long something takes: for each number its own time, and the processor time of all.
func measure(_ name: String, _ body: (Int) async throws -> Duration) async throws {
  for number in 0..<200 { _ = try await body(-1 - number) }
  let before = processorTime()
  var times: [Duration] = []
  for number in 0..<count { times.append(try await body(number)) }
  let processor = (processorTime() - before) / 1e6 / Double(count) * 1000
  times.sort()
  func at(_ share: Double) -> String {
    format(times[Int(Double(times.count - 1) * share)] / .milliseconds(1))
  }
  print("\(name): p50 \(at(0.5)), p99 \(at(0.99)); processor \(format(processor)) s for 1,000")
}

func format(_ number: Double) -> String { String(Double(Int(number * 1000 + 0.5)) / 1000) }

let clock = ContinuousClock()
let value = Data(String(repeating: "v", count: 32).utf8)

try await measure("put") { _ in
  let start = clock.now
  try await client.put(Data("/bench/put".utf8), value)
  return start.duration(to: clock.now)
}

// The put is not awaited before its event: the event may be there first.
let watch = try await client.watch(.key("/bench/event"))
try await measure("put to event at a watch") { _ in
  let start = clock.now
  async let put = client.put(Data("/bench/event".utf8), value)
  while let step = try await watch.next() { if case .revision = step { break } }
  let time = start.duration(to: clock.now)
  _ = try await put
  return time
}

let counter = Data("/bench/counter".utf8)
var revision = try await client.put(counter, value)
try await measure("compare-and-set") { _ in
  let start = clock.now
  let result = try await client.transact(
    EtcdTransaction(
      compare: [EtcdCompare(counter, .modRevision(revision))], success: [.put(counter, value: value)],
      failure: [.range(EtcdRange(.key(counter)))]))
  guard result.succeeded else { throw ProcessFailure("somebody else has set it") }
  revision = result.revision
  return start.duration(to: clock.now)
}

for first in stride(from: 0, to: keys, by: 100) {
  let puts = (first..<min(first + 100, keys)).map {
    EtcdOperation.put(Data("/bench/keys/machine-\($0)/state".utf8), value: value)
  }
  _ = try await client.transact(EtcdTransaction(success: puts))
}
for _ in 0..<3 {
  var (found, pages) = (0, 0)
  let before = processorTime()
  let start = clock.now
  for try await page in client.pages(EtcdRange(.prefix("/bench/keys/"))) {
    found += page.keyValues.count
    pages += 1
  }
  let time = format(start.duration(to: clock.now) / .milliseconds(1))
  print("\(found) keys in \(pages) pages: \(time), processor \(format((processorTime() - before) / 1000))")
  let other = clock.now
  let lines = try cluster.nodes[0].ctl("get", "--prefix", "/bench/keys/").split(separator: "\n").count
  print(
    "etcdctl get --prefix: \(format(other.duration(to: clock.now) / .milliseconds(1))), \(lines / 2) keys")
}
