// `statectl dump` and `load` against a real hub: what goes out comes back to the bit, and a failure says what was applied.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("Dump and load", .blocking)
struct StatectlBackupTests {
  /// Stores of every type, with values that are hard to carry.
  private static let values: [(String, Value)] = [
    ("integer.least", .integer(.min)), ("integer.most", .integer(.max)),
    ("integer.odd", .integer(9_007_199_254_740_993)),
    ("double.zero", .double(-0.0)), ("double.least", .double(.leastNonzeroMagnitude)),
    ("double.most", .double(-.greatestFiniteMagnitude)), ("double.tenth", .double(0.1)),
    ("double.whole", .double(5)), ("double.big", .double(1e22)), ("double.next", .double(0.1.nextUp)),
    ("boolean.yes", .boolean(true)), ("boolean.no", .boolean(false)),
    ("string.empty", .string("")), ("string.normal", .string("e\u{301} \u{E9}")),
    ("string.hard", .string("a\0b\n\r\t\"\\\u{7F}\u{85}\u{2028}\u{FEFF}\u{FFFF}😀")),
    ("data.empty", .data([])), ("data.all", .data((0...255).map { UInt8($0) })),
    ("json.spaced", .json(" {\"b\" : 1,\n\t\"a\": [1.0, 1e400, \"\\u0000é\"], \"a\": null } ")),
    ("json.string", .json("\"text\"")),
    ("json.deep", .json(String(repeating: "[", count: 60) + String(repeating: "]", count: 60))),
  ]

  private static let schemas: [(String, Schema)] = [
    (
      "ruled.integer",
      Schema(type: .integer, initial: .integer(3), minimum: .integer(-7), maximum: .integer(9))
    ),
    (
      "ruled.double",
      Schema(type: .double, minimum: .double(0.1), maximum: .double(0.3), description: "a \"tenth\"\n")
    ),
    ("ruled.string", Schema(type: .string, choices: [.string("a,b"), .string("é")], maxBytes: 40)),
    ("ruled.json", Schema(type: .json, initial: .json("{ \"x\":1}"), durability: .synced)),
    ("ruled.data", Schema(type: .data, initial: .data([0, 255]), durability: .volatile)),
  ]

  private func fill(_ hub: HubProcess) throws {
    let client = try hub.connect()
    for (name, value) in Self.values { _ = try client.call(.write(.set(.name(try StoreName(name)), value))) }
    for (name, schema) in Self.schemas { _ = try client.call(.write(.create(try StoreName(name), schema))) }
  }

  private func describe(_ name: String, _ client: RawClient) throws -> StoreDescription {
    guard case .described(let description) = try client.call(.describe(.name(try StoreName(name)))) else {
      throw TestFailure("no description of \(name)")
    }
    return description
  }

  /// All lines but the first, which tells epoch and revision.
  private func stores(in dump: String) -> Substring {
    dump[(dump.firstIndex(of: "\n") ?? dump.startIndex)...]
  }

  @Test("a dump that is loaded into another hub gives every value to the bit, and every schema")
  func roundTrip() throws {
    let source = try Bench()
    try fill(source.hub)
    let dump = try source.control.run("dump")
    #expect(dump.status == 0 && dump.errors.isEmpty)
    let target = try Bench()
    #expect(
      try target.control.run("load", input: dump.output) == Control.Result(status: 0, output: "", errors: ""))
    let (from, to) = (try source.hub.connect(), try target.hub.connect())
    for name in (Self.values.map(\.0) + Self.schemas.map(\.0)) {
      let (a, b) = (try describe(name, from), try describe(name, to))
      #expect(a.state.value == b.state.value && a.schema == b.schema, "\(name)")
    }
    for (name, value) in Self.values { #expect(try describe(name, to).state.value == value, "\(name)") }
    let again = try target.control.run("dump")
    #expect(stores(in: again.output) == stores(in: dump.output))
    #expect(dump.output.split(separator: "\n").count == Self.values.count + Self.schemas.count + 1)
    // A second time it changes nothing, and loading needs no revision.
    #expect(
      try target.control.run("load", "--json", input: dump.output).output.hasPrefix(
        "{\"stores\":25,\"applied\":true,"))
    #expect(try target.control.run("dump").output == again.output)
  }

  @Test("random doubles come back with the same bits")
  func doubles() throws {
    let source = try Bench()
    let client = try source.hub.connect()
    var random = SeededGenerator(seed: 4)
    var bits: [UInt64] = []
    while bits.count < 2000 {
      let pattern = UInt64.random(in: 0 ... .max, using: &random)
      guard Double(bitPattern: pattern).isFinite else { continue }
      try client.send(
        .write(.set(.name(try StoreName("d.\(bits.count)")), .double(Double(bitPattern: pattern)))))
      _ = try client.next()
      bits.append(pattern)
    }
    let dump = try source.control.run("dump").output
    let target = try Bench()
    #expect(try target.control.run("load", input: dump).status == 0)
    let reader = try target.hub.connect()
    for (index, pattern) in bits.enumerated() {
      guard case .value(let state) = try reader.call(.get(.name(try StoreName("d.\(index)")))) else {
        continue
      }
      #expect(state.value == .double(Double(bitPattern: pattern)))
    }
  }

  @Test("a dump under writers is one revision: transactions are whole in it")
  func consistent() throws {
    let bench = try Bench()
    let setup = try bench.hub.connect()
    for index in 0..<2000 {
      _ = try setup.call(
        .write(.set(.name(try StoreName("fill.\(index)")), .string(String(repeating: "x", count: 200)))))
    }
    let left = try StoreName("pair.left")
    let right = try StoreName("pair.right")
    func pair(_ number: Int64) -> Request {
      .transaction([.set(.name(left), .integer(number)), .set(.name(right), .integer(-number))])
    }
    _ = try setup.call(pair(0))
    for round in 0..<5 {
      let dumping = try bench.control.start("dump")
      var number: Int64 = 0
      while dumping.poll(milliseconds: 0) == nil {
        number += 1
        _ = try setup.call(pair(number))
        _ = try setup.call(
          .write(.set(.name(try StoreName("fill.\(number % 2000)")), .string("\(round)-\(number)"))))
      }
      #expect(try dumping.status() == 0)
      var values: [String: Int] = [:]
      for line in dumping.standardOutput.split(separator: "\n") where line.contains("\"pair.") {
        let name = line.contains("left") ? "left" : "right"
        values[name] = Int(line.split(separator: "\"value\":").last!.dropLast())
      }
      #expect(values["left"] == values["right"].map { -$0 } && values.count == 2)
    }
  }

  @Test("a value that ends by itself is dumped as what it goes back to, or not at all")
  func transient() throws {
    let bench = try Bench()
    try bench.control.perform("set", "lock", "mine", "--ttl", "1h")
    try bench.control.perform("create", "mode", "--type", "string", "--initial", "off")
    try bench.control.perform("set", "mode", "turbo", "--ttl", "1h")
    try bench.control.perform("set", "kept", "1")
    let dump = try bench.control.run("dump").output
    #expect(!dump.contains("lock") && !dump.contains("turbo"))
    #expect(dump.contains("\"stores\":2}"))
    #expect(
      dump.contains(
        "{\"name\":\"mode\",\"type\":\"string\",\"value\":\"off\",\"schema\":{\"initial\":\"off\"}}"))
  }

  @Test(
    "input without a line is not a dump, as behind a dump that has failed",
    arguments: ["", "\n", " \n\r\n\n"])
  func nothing(input: String) throws {
    let bench = try Bench()
    for options in [[], ["--dry-run"], ["--json"]] {
      let process = try bench.control.start(["load"] + options, input: input)
      #expect(try process.status() == 6)
      #expect(process.standardOutput.isEmpty)
      #expect(
        process.standardError
          == "statectl: the dump is empty; nothing was applied\n")
    }
  }

  @Test("patterns choose what is dumped, and an empty dump is a dump")
  func patterns() throws {
    let bench = try Bench()
    for name in ["a.b", "a.c", "d"] { try bench.control.perform("set", name, "1") }
    #expect(try bench.control.run("dump", "a.*", "a.b").output.split(separator: "\n").count == 3)
    let empty = try bench.control.run("dump", "nothing.**")
    #expect(empty.output.contains("\"stores\":0}"))
    #expect(try bench.control.run("load", input: empty.output).status == 0)
    #expect(try bench.control.run("dump", "a..b").status == 6)
  }

  // MARK: Failures

  @Test(
    "a dump with a mistake is refused whole, with the line",
    arguments: [
      ("{\"name\":\"a\",\"type\":\"integer\",\"value\":1}\nnonsense", "line 2: not JSON: column 1"),
      (
        "{\"name\":\"a\",\"type\":\"integer\",\"value\":1.5}",
        "line 1: a: value is a number that is not a valid integer"
      ),
      (
        "{\"name\":\"a\",\"type\":\"double\",\"value\":9007199254740993}",
        "line 1: a: value is a number that is not a valid double"
      ),
      ("{\"name\":\"a\",\"type\":\"number\",\"value\":1}", "line 1: a: there is no type 'number'"),
      ("{\"name\":\"a..b\",\"type\":\"integer\",\"value\":1}", "line 1: a..b: "),
      ("{\"name\":\"a\",\"type\":\"data\",\"value\":\"AA\"}", "line 1: a: value is not base64"),
      ("{\"name\":\"a\",\"type\":\"json\",\"value\":\"{\"}", "line 1: a: value must be a string of JSON"),
      (
        "{\"name\":\"a\",\"type\":\"json\",\"value\":{}}",
        "line 1: a: value is an object that is not a valid json"
      ),
      ("{\"name\":\"a\",\"type\":\"integer\"}", "line 1: a: a store has no value"),
      (
        "{\"name\":\"a\",\"type\":\"integer\",\"value\":1,\"vlaue\":2}",
        "line 1: a: a store has no member \"vlaue\", did you mean value?"
      ),
      (
        "{\"name\":\"a\",\"name\":\"b\",\"type\":\"integer\",\"value\":1}",
        "line 1: a store has \"name\" twice"
      ),
      (
        "\n{\"name\":\"a\",\"type\":\"integer\",\"value\":1}\n{\"name\":\"a\",\"type\":\"integer\",\"value\":2}",
        "line 3: a: the store is already on line 2"
      ),
      (
        "{\"name\":\"a\",\"type\":\"integer\",\"value\":1,\"schema\":{\"minimum\":5,\"maximum\":2}}",
        "line 1: a: minimum 5 is above maximum 2"
      ),
      (
        "{\"statehub\":\"dump\",\"format\":2,\"other\":1}",
        "line 1: this statectl does not support the dump's format"
      ),
      (
        "{\"statehub\":\"dump\",\"format\":1,\"epoch\":\"\",\"revision\":3,\"stores\":2}\n{\"name\":\"a\",\"type\":\"integer\",\"value\":1}",
        "the dump is incomplete: its first line announces 2 stores, and it has 1"
      ),
    ])
  func refused(_ dump: String, _ message: String) throws {
    let bench = try Bench()
    let result = try bench.control.run("load", input: dump)
    #expect(result.status == 6)
    #expect(result.errors.hasPrefix("statectl: \(message)"), "\(result.errors)")
    #expect(result.errors.hasSuffix("; nothing was applied\n"))
    #expect(try bench.control.run("list").output.isEmpty)
  }

  /// So many stores that they take several transactions, and a last one that the hub refuses.
  private func large(last: String) -> String {
    let filler = String(repeating: "f", count: 900)
    let lines = (0..<3000).map { "{\"name\":\"s.\($0)\",\"type\":\"string\",\"value\":\"\(filler)\"}\n" }
    return lines.joined() + last + "\n"
  }

  @Test("what the hub refuses in the last line is found before the first is applied")
  func rehearsal() throws {
    let bench = try Bench()
    try bench.control.perform("create", "volume", "--type", "integer", "--maximum", "10")
    let result = try bench.control.run(
      "load", input: large(last: "{\"name\":\"volume\",\"type\":\"integer\",\"value\":11}"))
    #expect(result.status == 6)
    #expect(
      result.errors
        == "statectl: line 3001: volume: 11 is above the maximum, 10 (--replace removes the store first); nothing was applied\n"
    )
    #expect(try bench.control.run("list").output == "volume\n")
    let dry = try bench.control.run("load", "--dry-run", input: large(last: ""))
    #expect(dry.output == "3000 stores can be loaded\n" && dry.status == 0)
    #expect(try bench.control.run("list").output == "volume\n")
    #expect(try bench.control.run("load", input: large(last: "")).status == 0)
    #expect(try bench.control.run("list").output.split(separator: "\n").count == 3001)
  }

  @Test("a quota that is reached on the way: the message names the line and the lines that are applied")
  func partial() throws {
    let directory = try TemporaryDirectory()
    let configuration = try directory.write("{ maxStores: 2500 }", to: "hub.json5")
    let hub = try HubProcess(in: directory, arguments: ["--volatile", "--config", configuration])
    let control = Control(directory: directory, socket: hub.socket)
    let result = try control.run("load", input: large(last: ""))
    #expect(result.status == 8)
    let pattern = /statectl: line 2501: s\.2500: .*; lines 1 to ([0-9]+) are applied, at revision [0-9]+\n/
    let match = try #require(result.errors.wholeMatch(of: pattern), "\(result.errors)")
    let applied = try #require(Int(match.1))
    #expect(applied < 2501 && applied > 500)
    #expect(try control.run("list").output.split(separator: "\n").count == applied)
  }

  @Test("stores whose rules stand against the dump's are made again with --replace only")
  func replacing() throws {
    let bench = try Bench()
    try bench.control.perform("set", "mode", "7")
    let dump =
      "{\"name\":\"mode\",\"type\":\"string\",\"value\":\"on\",\"schema\":{\"initial\":\"off\",\"choices\":[\"on\",\"off\"]}}\n"
    let refused = try bench.control.run("load", input: dump)
    #expect(refused.status == 6 && refused.errors.contains("--replace"))
    #expect(try bench.control.run("get", "mode").output == "7\n")
    #expect(try bench.control.run("load", "--replace", input: dump).status == 0)
    #expect(try bench.control.run("get", "mode").output == "on\n")
    #expect(try bench.control.run("set", "mode", "dim").status == 6)
  }

  @Test("a declared store keeps its rules and gets the value")
  func declared() throws {
    let directory = try TemporaryDirectory()
    let configuration = try directory.write(
      "{ stores: { volume: { type: \"integer\", maximum: 20 } } }", to: "hub.json5")
    let hub = try HubProcess(in: directory, arguments: ["--volatile", "--config", configuration])
    let control = Control(directory: directory, socket: hub.socket)
    let dump =
      "{\"name\":\"volume\",\"type\":\"integer\",\"value\":15,\"schema\":{\"initial\":0,\"maximum\":100}}\n"
    #expect(try control.run("load", input: dump) == Control.Result(status: 0, output: "", errors: ""))
    #expect(try control.run("get", "volume").output == "15\n")
    #expect(try control.run("set", "volume", "21").status == 6)
    let refused = try control.run("load", "--replace", input: dump.replacing("15", with: "30"))
    #expect(refused.status == 6 && refused.errors.contains("line 1: volume: 30 is above the maximum, 20"))
  }

  @Test("a value too long for a transaction is loaded by itself, and one too long for the hub is named")
  func longValues() throws {
    let bench = try Bench()
    let client = try bench.hub.connect()
    // The longest value that a set can bring: the header, the name and the value's own header take 12 + 5 + 5 bytes.
    let text = String(repeating: "v", count: (1 << 20) - 22)
    guard case .written = try client.call(.write(.set(.name(try StoreName("long")), .string(text)))) else {
      throw TestFailure("the longest value was refused")
    }
    let dump = try bench.control.run("dump").output
    let target = try Bench()
    #expect(try target.control.run("load", input: dump).status == 0)
    #expect(try target.control.run("get", "long").output == text + "\n")
    let directory = try TemporaryDirectory()
    let configuration = try directory.write("{ maxFrameBytes: 65536 }", to: "hub.json5")
    let small = try HubProcess(in: directory, arguments: ["--volatile", "--config", configuration])
    let refused = try Control(directory: directory, socket: small.socket).run("load", input: dump)
    #expect(
      refused.status == 6
        && refused.errors.contains(
          "line 2: long: it needs a frame of 1048576 bytes, and this hub accepts 65536")
    )
  }

  @Test("load tries stores of one provider, too")
  func provided() throws {
    let bench = try Bench()
    let control = bench.control
    let provider = try control.start("provide", "dev.*", "--name", "dev", "--", "cat")
    defer { provider.kill() }
    while try !control.run("claims").output.contains(" live ") {}
    let load = try control.run("load", input: "{\"name\":\"dev.a\",\"type\":\"integer\",\"value\":3}\n")
    #expect(load.status == 0, "\(load)")
    #expect(try control.run("get", "dev.a").output == "3\n")
  }
}
