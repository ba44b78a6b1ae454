// statectl plot: the chart on a terminal, which is given back; lines and pictures; what is drawn of which values.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("statectl plot", .blocking)
final class StatectlPlotTests: BenchSuite {
  // MARK: On a terminal

  @Test(
    "draws on a terminal, follows keys and the hub, and gives the terminal back", arguments: ["q", "signal"])
  func screen(end: String) throws {
    try control.perform("set", "load", "10")
    let keyboard = try Keyboard(in: bench.directory)
    let plot = try LiveView("plot load", control, keyboard)
    try plot.wait(for: "load: 10, 0 changes")
    try control.perform("set", "load", "20")
    try plot.wait(for: "load: 20, 1 changes")
    try plot.wait(for: "10 ┤")
    try plot.wait(for: "20 ┤")
    try keyboard.type("+")
    try plot.wait(for: "the last 30s")
    try keyboard.type("--")
    try plot.wait(for: "the last 120s")
    try keyboard.type("p")
    try plot.wait(for: ", paused")
    bench.hub.kill()
    try plot.wait(for: ", the hub is away")
    if end == "q" {
      try keyboard.type("q")
      try plot.expectRestored(status: 0)
    } else {
      try plot.signal(SIGTERM)
      try plot.expectRestored(status: 128 + SIGTERM)
    }
  }

  @Test("what is no number ends it, and the terminal is as before")
  func text() throws {
    try control.perform("set", "load", "10")
    let plot = try LiveView("plot load", control, try Keyboard(in: bench.directory))
    try plot.wait(for: "load: 10")
    try control.perform("remove", "load")
    try plot.wait(for: "load: no value")
    try control.perform("set", "load", "high")
    try plot.wait(for: "only numbers and booleans can be plotted, but it is string")
    try plot.expectRestored(status: 6)
  }

  @Test("begins with what the hub has kept, and leaves the last chart where -n ends it")
  func past() throws {
    let bench = try Bench(configuration: "{ historyBytes: 100000 }")
    for value in ["10", "text", "30", "20"] {
      try bench.control.perform("set", "load", value, "--type", "string")
    }
    try bench.control.perform("remove", "load")
    for value in ["10", "30", "20"] { try bench.control.perform("set", "load", value) }
    let plot = try LiveView("plot load -n 1", bench.control, try Keyboard(in: bench.directory))
    try plot.expectRestored(status: 0)
    let text = plot.process.standardOutput
    let left = text[try #require(text.ranges(of: "\u{1B}[?1049l").last).upperBound...]
    #expect(left.contains("load: 20, 0 changes") && left.contains("10 ┤") && left.contains("30 ┤"))
  }

  // MARK: Elsewhere

  @Test("prints a line for each change where the output is no terminal")
  func lines() throws {
    try control.perform("set", "on", "false")
    let plot = try control.start("plot", "on", "-n", "3")
    _ = try plot.lines(1)
    try control.perform("set", "on", "true")
    _ = try plot.lines(2)
    try control.perform("remove", "on")
    #expect(try plot.status() == 0)
    let lines = try plot.lines(3)
    #expect(lines[0].contains(/^20[-0-9]+T[:.0-9]+Z  false  ▇+$/))
    #expect(
      lines[1].hasSuffix("Z  true  " + String(repeating: "▇", count: 40)) && lines[2].hasSuffix("    removed")
    )
  }

  @Test("has bars of ASCII in a locale without UTF-8")
  func ascii() throws {
    try control.perform("set", "on", "true")
    let result = try control.shell(
      "LC_ALL=C statectl plot on -n 1; LC_ALL=C statectl top --once --interval 1ms")
    #expect(result.output.contains("  true  #") && result.output.allSatisfy(\.isASCII), "\(result)")
  }

  @Test("prints every change as CSV or as JSON")
  func formats() throws {
    try control.perform("set", "load", "1.5")
    let csv = try control.start("plot", "load", "--csv", "-n", "2")
    let json = try control.start("plot", "load", "--json", "-n", "2")
    _ = (try csv.lines(2), try json.lines(1))
    try control.perform("set", "load", "2.5")
    #expect(try csv.status() == 0)
    #expect(try json.status() == 0)
    let lines = try csv.lines(3)
    #expect(lines[0] == "time,value,revision,skipped")
    #expect(lines[1].contains(/^20[-0-9]+T[:.0-9]+Z,1.5,1,0$/) && lines[2].hasSuffix("Z,2.5,2,0"))
    #expect(
      try json.lines(2)[1].hasPrefix("{\"name\":\"load\",\"value\":2.5,\"revision\":2,\"kind\":\"changed\""))
    #expect(try control.run("plot", "load", "--csv", "--json").status == 2)
  }

  @Test("writes a picture of all that was seen, also after a signal", arguments: [true, false])
  func picture(isSignalled: Bool) throws {
    try control.perform("set", "load", "1")
    let plot = try control.start("plot", "load", "--svg", bench.directory.file("a.svg"))
    _ = try plot.lines(1)
    try control.perform("set", "load", "4")
    _ = try plot.lines(2)
    if isSignalled {
      plot.signal(SIGINT)
    } else {
      try control.perform("remove", "load")
      try control.perform("set", "load", "text")
    }
    #expect(try plot.status() == (isSignalled ? 130 : 6))
    let svg = readFile(bench.directory.file("a.svg"))
    #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n") && svg.contains(">load</text>"))
    #expect(svg.contains(">4.0</text>") && svg.contains(">1.0</text>"))
  }

  @Test("ends after --timeout, and says at once where it cannot write")
  func ends() throws {
    try control.perform("set", "load", "1")
    #expect(try control.run("plot", "load", "--timeout", "1s").status == 0)
    let refused = try control.run("plot", "load", "--svg", "/nowhere/a.svg")
    #expect(refused.status == 1 && refused.output.isEmpty && refused.errors.contains("/nowhere/a.svg"))
    #expect(try control.run("plot", "text*").status != 0)
  }

  // MARK: Without a hub

  private func model(_ values: [(Int64, Value?)]) throws -> PlotModel {
    var model = PlotModel()
    for (time, value) in values {
      let event = StoreEvent(
        value == nil ? .removed : .changed, name: "a", value: value, revision: 1,
        epoch: Epoch(high: 0, low: 1),
        skipped: 0, time: time)
      #expect(try model.take(event))
    }
    return model
  }

  @Test("a value holds until the next one, and a removed store has none")
  func ranges() throws {
    let model = try model([
      (10, .integer(1)), (25, .integer(5)), (28, .double(-2)), (30, nil), (40, .boolean(true)),
      (41, .double(.nan)),
    ])
    #expect(model.ranges(5, from: 0, to: 50) == [1...1, 1...1, -2...5, 1...1, 1...1])
    #expect(model.ranges(1, from: 31, to: 39) == [nil] && model.ranges(1, from: 42, to: 50) == [nil])
    #expect(model.ranges(1, from: 0, to: 50) == [-2...5])
    #expect(model.ranges(2, from: 11, to: 21) == [1...1, 1...1])
    #expect(model.ranges(2, from: 100, to: 200) == [nil, nil])
    #expect(PlotModel.span(of: [nil, 1...2, 0...1]) == 0...2 && PlotModel.span(of: [nil]) == nil)
    #expect(model.changes == 6)
  }

  @Test("keeps a bounded number of changes, the newest")
  func bounded() throws {
    let count = Int64(PlotModel.mostPoints * 3)
    let model = try model((1...count).map { ($0, .integer($0)) })
    #expect(model.ranges(1, from: count - 10, to: count) == [Double(count - 10)...Double(count)])
    #expect(model.ranges(1, from: 0, to: 10) == [nil])
  }

  @Test("dots lie where the values are")
  func canvas() {
    var canvas = PlotCanvas(columns: 2, rows: 1)
    canvas.draw([0...0, 3...3, nil, 0...3], in: 0...3)
    #expect(canvas.lines == ["⡈⢸"])
    var flat = PlotCanvas(columns: 1, rows: 1)
    flat.draw([7...7, 7...7], in: 7...7)
    #expect(flat.lines == ["⠒"])
  }

  @Test("labels tell the ends of a span apart")
  func labels() {
    #expect(PlotModel.label(40, in: 40...40) == "40" && PlotModel.label(0.25, in: 0.25...0.25) == "0.25")
    #expect(PlotModel.label(0, in: 0...1000) == "0" && PlotModel.label(1000, in: 0...1000) == "1000")
    #expect(PlotModel.label(-0.05, in: -0.05...0) == "-0.050")
    #expect(PlotModel.label(1e300, in: 0...1e300) == "1e+300")
    #expect(PlotView.text(90_000_000_000) == "90s" && PlotView.text(1_500_000_000) == "1.5s")
  }

  @Test("a screen has so many lines, of at most its width", arguments: [(3, 20), (12, 70), (40, 200)])
  func size(rows: Int, columns: Int) throws {
    let model = try model([(10, .integer(1)), (25, .integer(5))])
    let view = PlotView(name: "a.store", window: .seconds(1))
    let lines = view.lines(model, now: 50, isConnected: true, rows: rows, columns: columns)
    #expect(lines.count == rows && lines.allSatisfy { $0.count <= columns })
    #expect(lines[0].hasPrefix("a.store: 5, 2 chan"))
  }
}
