// `statectl bench`: the running hub's throughput and latency.

internal import HubCore
internal import HubSystem
internal import HubTransport

extension VerbSpec {
  static let bench = VerbSpec(
    "bench", "[ping|get|set|add|txn|fanout]...", 0 ... .max,
    options: Options([.connections, .requests, .pipeline, .size, .duration, .durability, .quiet]),
    summary: "measure the speed of the running hub",
    details: """
      Sends requests on many connections at once, and prints replies per second and latencies.
      fanout sets one store that all connections watch, and counts deliveries. txn sets ten stores at once.
      The stores are named statectl-bench.* and are removed at the end, even after Ctrl-C; after SIGKILL the
      next bench removes them. The hub continues to serve other clients.
      """,
    examples: [
      "bench", "bench -c 100 -P 16 get set", "bench fanout -c 500 -q", "bench set --durability synced",
    ],
    action: .follow { words throws(Failure) in try BenchCommand(words).run })
}

private struct BenchCommand {
  private let tests: [BenchTest]
  private let load: BenchLoad
  private let durability: Durability?
  private let format: BenchFormat

  /// More would measure the machine's memory.
  private static let mostConnections = 10_000
  private static let mostPipelined = 10_000

  init(_ words: CommandLineWords) throws(Failure) {
    var tests: [BenchTest] = []
    for operand in words.operands { tests.append(try BenchTest(named: operand.text)) }
    self.tests = tests.isEmpty ? BenchTest.allCases : tests
    load = BenchLoad(
      connections: try words.integer(.connections, in: 1...BenchCommand.mostConnections) ?? 50,
      requests: try words.integer(.requests, in: 1...1_000_000_000) ?? 100_000,
      pipeline: try words.integer(.pipeline, in: 1...BenchCommand.mostPipelined) ?? 1,
      size: try words.integer(.size, in: 1...(1 << 30)) ?? 3,
      within: try words.duration(.duration) ?? .seconds(10))
    durability = try SchemaWords.durability(words.text(.durability))
    format = words.has(.json) ? .json : words.has(.quiet) ? .quiet : .table
  }

  func run(_ place: SocketPath, _ patience: Patience, _ output: inout Output) throws(Failure) {
    let signals = try SignalDescriptor.ending()
    let stores = try BenchStores(at: place, until: patience.deadline)
    do throws(Failure) {
      try measure(stores, signals, until: patience.deadline, &output)
    } catch {
      do throws(Failure) { try stores.remove() } catch { error.complain() }
      throw error
    }
    try stores.remove()
  }

  private func measure(
    _ stores: BenchStores, _ signals: borrowing SignalDescriptor, until deadline: Deadline,
    _ output: inout Output
  ) throws(Failure) {
    let progress = Progress(of: .bench)
    for (index, test) in tests.enumerated() {
      let work = try BenchWork(test, load, try stores.make(for: test, load, durability))
      if index == 0, let heading = format.heading(load) {
        for line in heading { try output.line(line) }
        try output.flush()
      }
      progress.begin("\(test.rawValue) \(test.unit)", of: load.requests)
      let result: BenchResult
      do throws(Failure) {
        result = try BenchRun(work, at: stores.place, until: deadline).measure(signals, progress)
      } catch {
        progress.end()
        throw error
      }
      progress.end()
      try format.write(result, of: test, load, to: &output)
      try output.flush()
    }
  }
}
