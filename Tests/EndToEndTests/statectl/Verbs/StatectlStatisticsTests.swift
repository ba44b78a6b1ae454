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

  /// The names in the first columns of the page's tables of figures, and those of the table of limits.
  private func explained() -> Set<String> {
    let page = readFile("\(checkout)/docs/statectl.md")
    var names: Set<String> = []
    var isTable = false
    var isLimits = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "| metric | is |" { isTable = true }
      if line == "| limit | its use is |" { (isTable, isLimits) = (true, true) }
      if !line.hasPrefix("|") { (isTable, isLimits) = (false, false) }
      guard isTable, line.hasPrefix("| `") else { continue }
      if isLimits {
        let name = line.split(separator: "`")[1]
        names.formUnion(["limit:\(name)", "use:\(name)"])
        continue
      }
      for match in line.split(separator: "|")[0].matches(of: /`([a-z0-9_]+)`/) {
        names.insert(String(match.1))
      }
    }
    return names
  }

  @Test("every figure is explained on the page, and every explained one is there")
  func page() throws {
    let (keeper, control) = try hub(keeping)
    // The control group of the tests may have no limit.
    let group: Set = ["limit:controlGroupBytes", "use:controlGroupBytes"]
    #expect(group.union(try figures(control).keys) == explained())
    let json = try control.run("stats", "--json").output
    #expect(json.contains(#""limits":{"maxStores":{"limit":1000000,"use":0}"#), "\(json)")
    keeper.kill()
    let (other, volatile) = try hub()
    let without = Set(try figures(volatile).keys)
    withExtendedLifetime(other) {}
    #expect(
      explained().subtracting(without).allSatisfy {
        group.contains($0) || $0.hasPrefix("journal_") || $0.hasPrefix("snapshot") || $0.hasPrefix("disk_")
      })
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
    let text = OpenMetricsText(try control.run("stats", "--openmetrics").output)
    #expect(text.problems.isEmpty, "\(text.problems)")
    let samples = text.samples
    #expect(samples.count == names.count)
    let times = names.filter { $0.hasSuffix("_ns") || $0.hasSuffix("_last_sync_ms") }
    #expect(times.count == 18)
    for name in times {
      let sample = try #require(samples["statehub_\(name.dropLast(3))_seconds"], "\(name)")
      #expect(text.units["statehub_\(name.dropLast(3))_seconds"] == "seconds")
      #expect(Double(sample).map { $0 >= 0 && $0 < 60 } == true && sample.contains("."), "\(name) \(sample)")
    }
    for counter in [
      "requests", "turns", "turns_over_1_ms", "connections_accepted", "journal_syncs", "snapshots",
    ] {
      #expect(samples["statehub_\(counter)_total"] != nil, "\(counter)")
    }
    #expect(samples["statehub_stores"] == "0" && samples["statehub_log_capacity"] == "33554432")
    #expect(text.units["statehub_disk_free_bytes"] == "bytes")
    for name in names where name.hasPrefix("limit:") {
      let label = #"{name="\#(name.dropFirst(6))"}"#
      #expect(
        samples["statehub_limit" + label] != nil && samples["statehub_limit_use" + label] != nil, "\(name)")
    }
    #expect(samples[#"statehub_limit{name="maxStores"}"#] == "1000000")
    #expect(try control.run("stats", "--openmetrics", "--json").status == 2)
    withExtendedLifetime(hub) {}
  }

  @Test("percentiles are between nothing and the longest, limits are used, and the disk has room")
  func percentiles() throws {
    let (hub, control) = try hub(keeping)
    try control.perform("create", "a", "--type", "integer", "--durability", "synced")
    try control.perform("set", "a", "1")
    let seen = try figures(control)
    for what in ["turn", "request", "journal_sync"] {
      let (half, most) = (try #require(seen["\(what)_p50_ns"]), try #require(seen["\(what)_p99_ns"]))
      #expect(half > 0 && half <= most && most <= seen["\(what)_longest_ns"]!, "\(what)")
    }
    #expect(
      seen["turn_recent_longest_ns"] == seen["turn_longest_ns"], "all of it has been in the last minute")
    #expect(seen["request_recent_p99_ns"]! > 0)
    #expect(seen["disk_free_bytes"]! > 0)
    #expect(
      seen["use:maxStores"] == 1 && seen["use:maxMemoryBytes"] == seen["memory_bytes"]
        && seen["use:maxClients"] == 1)
    let watcher = try control.start("watch", "*", "b", "--socket", hub.socket)
    while try figures(control)["use:maxWatches"] != 2 {}
    watcher.kill()
    #expect(try control.run("reload").status == 0)
    let reloaded = try figures(control)
    // What was measured before is not forgotten.
    #expect(reloaded["request_longest_ns"]! >= seen["request_longest_ns"]!)
    #expect(reloaded["journal_sync_p99_ns"]! > 0)
  }

  @Test("a connection's requests, cost, held bytes and command are shown, and its cost outlives a reload")
  func clients() throws {
    let (hub, control) = try hub()
    let client = try hub.connect()
    for _ in 0..<200 { _ = try client.call(.ping) }
    func line() throws -> String {
      let lines = try control.run("clients", "--json").output.split(separator: "\n").map(String.init)
      return try #require(lines.first { !$0.contains("statectl clients") })
    }
    func cost() throws -> UInt64 {
      try #require(try line().firstMatch(of: /"costNanoseconds":(\d+)/).flatMap { UInt64($0.1) })
    }
    let before = try cost()
    // Each step counts as 4 µs, and each request as some hundred nanoseconds.
    #expect(before >= 200 * 4000 && before < 200 * 100_000, "\(before)")
    let shown = try line()
    for member in [#""requests":20"#, #""held":0"#, #""catchUps":0"#, #""sharePerMille":"#, #""command":""#] {
      #expect(shown.contains(member), "\(member) \(shown)")
    }
    #expect(try control.run("reload").status == 0)
    #expect(try cost() >= before)
    let heading = try control.run("clients").output.split(separator: "\n")[0]
    #expect(heading.contains("COMMAND") && heading.contains("COST") && heading.contains("CATCH-UPS"))
  }

  @Test("turns are timed")
  func turns() throws {
    let (hub, control) = try hub()
    try control.perform("set", "a", "1")
    let seen = try figures(control)
    let (mean, longest) = (try #require(seen["turn_mean_ns"]), try #require(seen["turn_longest_ns"]))
    #expect(mean > 0 && mean <= longest)
    #expect(seen["turns_over_1_ms"]! >= seen["turns_over_10_ms"]!)
    // A turn with more to do than others takes longer: a page of everything, of two thousand stores.
    let client = try hub.connect()
    for number in 0..<2000 { _ = try client.call(.write(.set(.name(StoreName("n.\(number)")), .integer(1)))) }
    #expect(try #require(try figures(control)["turn_longest_ns"]) >= longest)
  }

  @Test(
    "the journal's figures follow what is written, synced and made a snapshot of, and continue over a reload")
  func journal() throws {
    let (hub, control) = try hub(keeping)
    let before = try figures(control)
    try control.perform("create", "a", "--type", "integer", "--durability", "synced")
    try control.perform("set", "a", "1")
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
