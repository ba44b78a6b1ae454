// statectl top: what it shows, what the keys do, and that the terminal is as before, whatever ends it.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("statectl top", .blocking)
final class StatectlTopTests: BenchSuite {
  private func start(_ arguments: String = "", keyboard: Keyboard) throws -> LiveView {
    try LiveView("top --interval 50ms \(arguments)", control, keyboard)
  }

  @Test("q ends it, and the terminal is as before")
  func quit() throws {
    try control.perform("set", "audio.volume", "40")
    let keyboard = try Keyboard(in: bench.directory)
    let top = try start(keyboard: keyboard)
    try top.wait(for: "audio.volume")
    try keyboard.type("q")
    try top.expectRestored(status: 0)
    let screen = top.process.standardOutput
    #expect(screen.contains("1 stores, ") && screen.contains("NAME") && screen.contains("40"))
  }

  @Test("a signal ends it, and the terminal is as before", arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT])
  func signals(signal: Int32) throws {
    try control.perform("set", "a", "40")
    let keyboard = try Keyboard(in: bench.directory)
    let top = try start(keyboard: keyboard)
    try top.wait(for: "NAME")
    try top.signal(signal)
    try top.expectRestored(status: 128 + signal)
  }

  @Test("values and rates follow the hub, and it survives one that is replaced")
  func live() throws {
    try control.perform("set", "a", "1", "zz", "1")
    let keyboard = try Keyboard(in: bench.directory)
    let top = try start(keyboard: keyboard)
    try top.wait(for: "NAME")
    try control.perform("set", "a", "4711")
    try top.wait(for: "4711")
    bench.hub.kill()
    try top.wait(for: "the hub is away")
    try bench.replaceHub()
    try control.perform("set", "a", "4712")
    try top.wait(for: "4712")
    try keyboard.type("q")
    try top.expectRestored(status: 0)
  }

  @Test("keys sort, filter, pause and show the clients")
  func keys() throws {
    try control.perform("set", "audio.a", "1", "video.b", "2")
    let keyboard = try Keyboard(in: bench.directory)
    let top = try start(keyboard: keyboard)
    try top.wait(for: "by rate")
    try keyboard.type("s")
    try top.wait(for: "by name")
    try keyboard.type("/vid")
    try top.wait(for: "with vid ")
    try keyboard.type("c")
    try top.wait(for: "REQUESTS/s")
    try keyboard.type("p")
    try top.wait(for: ", paused")
    try keyboard.type("q")
    try top.expectRestored(status: 0)
  }

  @Test(
    "the heading stands out, unless NO_COLOR is set; where there is no UTF-8 all of it is ASCII",
    arguments: [true, false])
  func styles(styled: Bool) throws {
    try control.perform("set", "a", "größer")
    let keyboard = try Keyboard(in: bench.directory)
    let settings = styled ? "" : "NO_COLOR=1 LC_ALL=C"
    let top = try LiveView("top --interval 50ms", control, keyboard, settings: settings)
    try top.wait(for: styled ? "größer" : "gr??er")
    try top.wait(for: styled ? "\u{1B}[7mNAME " : "NAME ")
    try keyboard.type("c")
    try top.wait(for: "  USER ")
    try keyboard.type("q")
    try top.expectRestored(status: 0)
    let screen = top.process.standardOutput
    #expect(screen.contains("\u{1B}[7m") == styled && screen.allSatisfy(\.isASCII) != styled)
  }

  @Test("the locale says whether a terminal shows UTF-8, and ASCII stands for dots and lines")
  func locale() {
    #expect(LiveScreen.ascii("⡈│┤…a\n") == "*||~a\\n")
    for (values, expected) in [
      (["LANG": "de_DE.UTF-8"], true), (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false),
      (["LC_ALL": "", "LC_CTYPE": "C.utf8"], true), ([:], false),
    ] {
      #expect(LiveScreen.isUTF8 { values[$0] } == expected)
    }
  }

  @Test("--once and an output that is no terminal give plain lines")
  func plain() throws {
    try control.perform("set", "audio.a", "1", "video.b", "x y")
    let once = try control.run("top", "--once", "--interval", "100ms")
    #expect(once.status == 0 && !once.output.contains("\u{1B}"))
    let lines = once.output.split(separator: "\n")
    #expect(lines.count == 5 && lines[0].hasPrefix("statehub ") && lines[1].hasPrefix("2 stores, "))
    #expect(lines[2].contains(/^NAME +RATE\/s +TREND +WATCHERS +VALUE$/))
    #expect(lines[3].contains(/^audio.a +0.0 +0 +1$/) && lines[4].contains(/^video.b +0.0 +0 +x y$/))
    #expect(
      try control.run("top", "audio.*", "--once", "--interval", "50ms").output.contains("video") == false)
    let stream = try control.start("top", "--interval", "50ms")
    _ = try stream.lines(12)
    stream.signal(SIGTERM)
    bench.hub.kill()
    #expect(try control.run("top", "--once").status == 3)
  }

  // MARK: Without a hub

  private func event(_ kind: StoreEvent.Kind, _ name: String, _ value: Int64?, skipped: UInt64 = 0)
    -> StoreEvent
  {
    StoreEvent(
      kind, name: name, value: value.map { .integer($0) }, revision: 1, epoch: Epoch(high: 0, low: 1),
      skipped: skipped)
  }

  @Test("it has no JSON, and says what has")
  func json() throws {
    let run = try control.run("top", "--once", "--json")
    #expect(run.status == 2 && run.output.isEmpty && run.errors.contains("statectl list, stats or clients"))
  }

  @Test("rates count what was skipped, and rows are sorted with their names breaking ties")
  func model() {
    var model = TopModel()
    for name in ["b", "a", "c"] { model.take(event(.initial, name, 1)) }
    model.take(event(.changed, "b", 2, skipped: 9))
    model.sample(seconds: 2)
    #expect(model.visible.map(\.name) == ["b", "a", "c"])
    #expect(model.visible[0].rate == 5)
    // The mean of the last samples does not jump.
    model.sample(seconds: 1)
    #expect(model.visible.map(\.name) == ["b", "a", "c"] && model.visible[0].rate == 2.5)
    for _ in 0..<3 { model.sample(seconds: 1) }
    #expect(model.visible.map(\.name) == ["a", "b", "c"] && model.visible[1].rate == 0)
    for _ in 0..<50 { model.sample(seconds: 1) }
    #expect(model.visible[0].rates.count == TopModel.trendLength)
    model.filter = "c"
    #expect(model.visible.map(\.name) == ["c"])
    model.take(event(.removed, "c", nil))
    #expect(model.visible.isEmpty && model.count == 2)
  }

  @Test("a table fits into its width, and a trend has a bar for each sample", arguments: [20, 40, 80, 200])
  func widths(columns: Int) {
    var model = TopModel()
    model.take(event(.initial, String(repeating: "long.", count: 30) + "name", 1))
    model.take(event(.initial, "short", .max))
    model.sample(seconds: 1)
    let lines = TopScreen.table(model.visible, columns: columns)
    #expect(lines.count == 3 && lines.allSatisfy { $0.count <= columns })
    let name = String(repeating: "x", count: columns * 3 / 4 - 5)
    model.take(event(.initial, name, 1))
    let isWhole = TopScreen.table(model.visible, columns: columns).contains { $0.contains("\(name) ") }
    #expect(isWhole == (columns >= 200))
    #expect(TopScreen.trend([0, 1, 4, 8]) == "         ▂▅█")
    #expect(TopScreen.rate(12.34) == "12.3" && TopScreen.rate(1234.5) == "1235")
  }
}
