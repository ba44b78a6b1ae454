// The figures of `statectl stats`: each is explained on the page, and counts what the page says.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl stats", .blocking)
struct StatectlStatisticsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func hub(_ arguments: [String] = ["--volatile"]) throws -> (HubProcess, Control) {
    let hub = try HubProcess(in: directory, arguments: arguments)
    return (hub, Control(directory: directory, socket: hub.socket))
  }

  private var keeping: [String] { ["--state-dir", directory.file("state")] }

  private func figures(_ control: Control) throws -> [String: UInt64] {
    var figures: [String: UInt64] = [:]
    for line in try control.run("stats").output.split(separator: "\n") {
      let parts = line.split(separator: "\t")
      figures[String(parts[0])] = UInt64(parts[1])
    }
    return figures
  }

  /// The names in the first columns of the page's tables of figures.
  private func explained() -> Set<String> {
    let page = readFile("\(FixturePackage.root)/docs/statectl.md")
    var names: Set<String> = []
    var isTable = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "| figure | is |" { isTable = true }
      if !line.hasPrefix("|") { isTable = false }
      guard isTable, line.hasPrefix("| `") else { continue }
      for match in line.split(separator: "|")[0].matches(of: /`([a-z0-9_]+)`/) {
        names.insert(String(match.1))
      }
    }
    return names
  }

  @Test("every figure is explained on the page, and every explained one is there")
  func page() throws {
    let (keeper, control) = try hub(keeping)
    #expect(Set(try figures(control).keys) == explained())
    keeper.kill()
    let (other, volatile) = try hub()
    let without = Set(try figures(volatile).keys)
    withExtendedLifetime(other) {}
    #expect(
      explained().subtracting(without).allSatisfy { $0.hasPrefix("journal_") || $0.hasPrefix("snapshot") })
  }

  @Test(
    "loading, also when it is only tried, is not an error; what the hub refuses is, and a failed condition is a conflict"
  )
  func errors() throws {
    let (hub, control) = try hub()
    let dump = (0..<500).map { "{\"name\":\"s.\($0)\",\"type\":\"integer\",\"value\":\($0)}\n" }.joined()
    #expect(try control.run("load", "--dry-run", input: dump).status == 0)
    #expect(try control.run("load", input: dump).status == 0)
    var seen = try figures(control)
    #expect(seen["errors"] == 0)
    #expect(seen["stores"] == 500)
    let tries = try #require(seen["conflicts"])
    #expect(tries >= 2)
    #expect(try control.run("set", "s.1", "5", "--if-value", "7").status == 5)
    #expect(try control.run("toggle", "s.1").status == 6)
    seen = try figures(control)
    // `statectl` asks once more, when the store's type might make a difference.
    #expect(seen["errors"] == 1)
    #expect(try #require(seen["conflicts"]) > tries)
    withExtendedLifetime(hub) {}
  }

  @Test("as OpenMetrics every figure is a metric with a type, times are in seconds, and the text has an end")
  func openMetrics() throws {
    let (hub, control) = try hub(keeping)
    let names = Set(try figures(control).keys)
    let lines = try control.run("stats", "--openmetrics").output.split(separator: "\n").map(String.init)
    #expect(lines.last == "# EOF")
    var types: [String: String] = [:]
    var samples: [String: String] = [:]
    for line in lines.dropLast() {
      let words = line.split(separator: " ").map(String.init)
      switch words.prefix(2) {
      case ["#", "TYPE"]: types[words[2]] = words[3]
      case ["#", "UNIT"]: #expect(words.count == 4 && words[2].hasSuffix("_\(words[3])"), "\(line)")
      default:
        // A metric's type stands before its sample, and the sample of a counter says that it is one.
        #expect(words.count == 2 && Double(words[1]) != nil, "\(line)")
        let name = words[0].hasSuffix("_total") ? String(words[0].dropLast(6)) : words[0]
        #expect(types[name] == (words[0] == name ? "gauge" : "counter"), "\(line)")
        samples[words[0]] = words[1]
      }
    }
    #expect(samples.count == names.count && types.count == names.count)
    let times = names.filter { $0.hasSuffix("_ns") || $0.hasSuffix("_last_sync_ms") }
    #expect(times.count == 5)
    for name in times {
      let sample = try #require(samples["statehub_\(name.dropLast(3))_seconds"], "\(name)")
      #expect(Double(sample).map { $0 >= 0 && $0 < 60 } == true && sample.contains("."), "\(name) \(sample)")
    }
    for counter in [
      "requests", "turns", "turns_over_1_ms", "connections_accepted", "journal_syncs", "snapshots",
    ] {
      #expect(samples["statehub_\(counter)_total"] != nil, "\(counter)")
    }
    #expect(samples["statehub_stores"] == "0" && samples["statehub_log_capacity"] == "8388608")
    #expect(try control.run("stats", "--openmetrics", "--json").status == 2)
    withExtendedLifetime(hub) {}
  }

  @Test("turns are timed")
  func turns() throws {
    let (hub, control) = try hub()
    try control.run("set", "a", "1")
    let seen = try figures(control)
    let (mean, longest) = (try #require(seen["turn_mean_ns"]), try #require(seen["turn_longest_ns"]))
    #expect(mean > 0 && mean <= longest)
    #expect(seen["turns_over_1_ms"]! >= seen["turns_over_10_ms"]!)
    // A turn with more to do than others takes longer: a page of everything, of two thousand stores.
    let client = try hub.connect()
    for number in 0..<2000 { try client.send(.write(.set(.name(StoreName("n.\(number)")), .integer(1)))) }
    for _ in 0..<2000 { _ = try client.next() }
    #expect(try #require(try figures(control)["turn_longest_ns"]) >= longest)
  }

  @Test(
    "the journal's figures follow what is written, synced and made a snapshot of, and continue over a reload")
  func journal() throws {
    let (hub, control) = try hub(keeping)
    let before = try figures(control)
    try control.run("create", "a", "--type", "integer", "--durability", "synced")
    try control.run("set", "a", "1")
    let after = try figures(control)
    #expect(after["journal_bytes"]! > before["journal_bytes"]!)
    #expect(after["journal_syncs"]! > before["journal_syncs"]!)
    #expect(after["journal_sync_mean_ns"]! > 0)
    #expect(after["journal_sync_longest_ns"]! >= after["journal_sync_mean_ns"]!)
    #expect(after["journal_segments"]! >= 1)
    #expect(after["journal_refusing"] == 0 && after["journal_errno"] == 0 && after["journal_failures"] == 0)
    #expect(try control.run("reload").status == 0)
    let reloaded = try figures(control)
    for name in [
      "journal_syncs", "requests", "turns", "conflicts", "journal_sync_longest_ns", "turn_longest_ns",
    ] {
      #expect(reloaded[name]! >= after[name]!, "\(name)")
    }
    withExtendedLifetime(hub) {}
  }
}
