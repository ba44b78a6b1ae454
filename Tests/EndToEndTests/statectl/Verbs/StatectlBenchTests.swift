// statectl bench: what it prints, that it keeps to its bounds, and that nothing of it stays in the hub.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("statectl bench", .blocking)
final class StatectlBenchTests: BenchSuite {
  private func member(_ name: String, of line: Substring) throws -> Double {
    let part = try #require(
      line.firstMatch(of: try Regex("\"\(name)\":([-0-9.e]+)", as: (Substring, Substring).self)))
    return try #require(Double(part.1))
  }

  /// The stores of the bench are gone, and the others are as they were.
  private func expectClean() throws { #expect(try control.run("list").output == "own\n") }

  @Test("prints a row for each test, and leaves nothing behind")
  func table() throws {
    try control.perform("set", "own", "1")
    let run = try control.run("bench", "-n", "300", "-c", "7")
    #expect(run.status == 0 && run.errors.isEmpty)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2 + BenchTest.allCases.count)
    #expect(lines[0].hasPrefix("7 connections, ") && Set(lines.dropFirst().map(\.count)).count == 1)
    for (test, line) in zip(BenchTest.allCases, lines.dropFirst(2)) {
      let count = test == .fanout ? "301" : "300"
      #expect(
        line.contains(try Regex("^\(test.rawValue) +\(count) +[0-9]+( +[0-9]+\\.[0-9]{3}){4} +[0-9]+%$")))
    }
    try expectClean()
  }

  @Test("counts every request, and its percentiles ascend", arguments: ["1", "16"])
  func json(pipeline: String) throws {
    try control.perform("set", "own", "1")
    let run = try control.run("bench", "--json", "-n", "1000", "-c", "4", "-P", pipeline, "-d", "100")
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == BenchTest.allCases.count)
    for line in lines {
      #expect(try member("count", of: line) + member("skipped", of: line) >= 960)
      let times = try ["p50", "p99", "p999", "worst"].map { try member($0 + "Nanoseconds", of: line) }
      #expect(times == times.sorted() && times[0] > 0)
      let rate = try member("count", of: line) / member("seconds", of: line)
      #expect(abs(try member("perSecond", of: line) / rate - 1) < 0.001)
      #expect((0...1).contains(try member("busy", of: line)))
    }
    try expectClean()
  }

  @Test("the hub has seen all of it")
  func seen() throws {
    func figure(_ name: String) throws -> UInt64 {
      guard case .statistics(let figures) = try bench.hub.connect().call(.stats) else { return 0 }
      return figures.first { $0.name == name }?.value ?? 0
    }
    let before = try figure("changes")
    #expect(try control.run("bench", "set", "add", "-q", "-n", "500", "-c", "5").status == 0)
    // 1000 writes; six stores and the mark were made, the mark was set, and all were removed.
    #expect(try figure("changes") - before == 1015)
    let deliveries = try figure("deliveries")
    #expect(try control.run("bench", "fanout", "-q", "-n", "500", "-c", "5").status == 0)
    #expect(try figure("deliveries") - deliveries >= 500)
  }

  @Test("a signal ends it, and its stores", arguments: [SIGINT, SIGTERM, SIGHUP])
  func signals(signal: Int32) throws {
    try control.perform("set", "own", "1")
    let run = try control.start("bench", "set", "-n", "1000000000", "--duration", "1h")
    let client = try bench.hub.connect()
    while true {
      guard case .listed(let stores, _) = try client.call(.list(.everything)) else { break }
      if stores.contains(where: { $0.version > 2 && $0.name != "own" }) { break }
      try #require(run.poll(milliseconds: 2) == nil)
    }
    run.signal(signal)
    #expect(try run.status() == 128 + signal)
    try expectClean()
  }

  @Test("what a killed one has left, the next one removes, but nothing of one that runs")
  func killed() throws {
    try control.perform("set", "own", "1")
    func begun() throws -> (ChildProcess, Set<String>) {
      let before = try names()
      let run = try control.start("bench", "set", "-c", "3", "-n", "1000000000", "--duration", "1h")
      while try names().subtracting(before).count < 4 { try #require(run.poll(milliseconds: 2) == nil) }
      return (run, try names().subtracting(before))
    }
    let (first, left) = try begun()
    first.kill()
    _ = try first.wait()
    let (second, kept) = try begun()
    #expect(try names().intersection(left).isEmpty)
    #expect(try control.run("bench", "get", "-q", "-n", "10").status == 0)
    #expect(try names() == kept.union(["own"]))
    second.signal(SIGINT)
    #expect(try second.status() == 128 + SIGINT)
    try expectClean()
  }

  private func names() throws -> Set<String> {
    Set(try control.run("list").output.split(separator: "\n").map(String.init))
  }

  @Test("it ends in time, with what was counted until then")
  func bounded() throws {
    try control.perform("set", "own", "1")
    let run = try control.run("bench", "get", "-n", "1000000000", "--duration", "200ms", "--json")
    #expect(run.status == 0)
    let seconds = try member("seconds", of: run.output[...])
    #expect(try member("count", of: run.output[...]) > 0 && seconds >= 0.2)
    #expect(try control.run("bench", "set", "-n", "1000000000", "--timeout", "200ms").status == 124)
    try expectClean()
  }

  @Test("what the hub refuses ends it, and its stores")
  func refused() throws {
    try control.perform("set", "own", "1")
    let long = try control.run("bench", "set", "-d", "2000000", "-q")
    #expect(long.status == 6 && long.output.isEmpty && long.errors.contains("maxFrameBytes"))
    try expectClean()
    let run = try control.start("bench", "ping", "-n", "1000000000", "--duration", "1h")
    try bench.hub.wait(for: 51, "clients")
    bench.hub.kill()
    #expect(try run.status() == 3)
    #expect(run.standardError.contains("closed the connection"))
  }

  @Test("a mistake is named before anything is made")
  func mistakes() throws {
    let test = try control.run("bench", "fnout")
    #expect(test.status == 2 && test.errors.contains("did you mean fanout?"))
    #expect(try control.run("bench", "-c", "0").status == 2)
    #expect(try control.run("bench", "--durability", "eternal").status == 2)
    #expect(try ArgumentParser.parse(["bench", "-n", "5"]).has(.requests))
    #expect(try ArgumentParser.parse(["watch", "a", "-n5"]).has(.lines))
    // The letter is the verb's, also in front of it.
    #expect(try ArgumentParser.parse(["-n", "5", "bench"]).integer(.requests) == 5)
    #expect(try ArgumentParser.parse(["-n5", "-q", "bench"]).has(.requests))
    #expect(try ArgumentParser.parse(["-n", "5", "watch", "a"]).has(.lines))
    #expect(throws: Failure.self) { try ArgumentParser.parse(["--lines", "5", "bench"]) }
    #expect(throws: Failure.self) { try ArgumentParser.parse(["-n", "5", "get", "a"]) }
  }

  @Test("on a terminal it says how far it is")
  func progress() throws {
    let terminal = try PseudoTerminal()
    let run = try control.startShell("statectl bench ping -q -n 1000000000 --duration 2s 2> \(terminal.path)")
    _ = try terminal.text(through: "of 1000000000 ping requests")
    #expect(try run.status() == 0)
    _ = try terminal.text(through: "\r\u{1B}[K")
  }

  @Test("its classes of times are close, and in order")
  func times() {
    for time in (0...2000).map(UInt64.init) + (11...63).map({ 1 << UInt64($0) }) + [.max] {
      let longest = BenchTimes.longest(of: BenchTimes.index(of: time))
      #expect(longest >= time && longest - time <= time / 64)
    }
    var times = BenchTimes()
    #expect(times.percentile(500) == 0)
    for time in 1...1000 as ClosedRange<UInt64> { times.add(time, count: 1) }
    #expect((500...507).contains(times.percentile(500)) && times.percentile(1000) == 1000)
    #expect((999...1000).contains(times.percentile(999)) && times.worst == 1000 && times.count == 1000)
  }
}
