// `statectl apply`: stores become what files say, once; what a source made is known, and removed on request.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("statectl apply", .blocking)
struct StatectlApplyTests {
  private static let rules = """
    // As in the configuration of a hub.
    { stores: {
      "web.port": { type: "integer", initial: 8080, maximum: 65535 },
      "web.theme": { type: "json", initial: { dark: true } },
    } }
    """
  private static let values = """
    {"name":"web.motd","type":"string","value":"hello"}
    {"name":"web.ratio","type":"double","value":0.5,"schema":{"initial":0,"minimum":0,"maximum":1}}

    """

  private let bench: Bench
  private var control: Control { bench.control }

  init() throws {
    bench = try Bench()
    mkdir(bench.control.directory.file("site.d"), 0o700)
    try write(Self.rules, "10-rules.json5")
    try write(Self.values, "20-values.jsonl")
    // Neither is a file of stores.
    try write("nonsense", "README")
    try write("nonsense", ".20-values.jsonl")
  }

  private var folder: String { control.directory.file("site.d") }

  @discardableResult
  private func write(_ text: String, _ name: String) throws -> String {
    try control.directory.write(text, to: "site.d/\(name)")
  }

  private func store(_ name: String, _ value: Int) -> String {
    "{\"name\":\"\(name)\",\"type\":\"integer\",\"value\":\(value)}\n"
  }

  private func applied(_ source: String) throws -> String {
    try control.run("get", "applied.\(source)").output
  }

  private func stores() throws -> [String] {
    try control.run("list").output.split(separator: "\n").map(String.init)
  }

  private func revision() throws -> Revision? { try bench.hub.connect().welcome?.revision }

  @Test("stores become what the files say, and a second time nothing changes")
  func once() throws {
    let first = try control.run("apply", "--source", "site", folder)
    #expect(first == Control.Result(status: 14, output: "", errors: ""))
    #expect(try control.run("get", "web.port", "web.motd", "web.ratio").output.contains("web.port\t8080\n"))
    #expect(try control.run("get", "web.theme").output == "{\"dark\":true}\n")
    #expect(try control.run("set", "web.port", "70000").status == 6)
    #expect(try control.run("set", "web.ratio", "2").status == 6)
    let before = try revision()
    #expect(
      try control.run("apply", "--source", "site", folder)
        == Control.Result(status: 0, output: "", errors: ""))
    #expect(try revision() == before, "nothing was written")
    // A configuration's rules say nothing about the value that is there; a dump does.
    try control.perform("set", "web.port", "9090")
    #expect(try control.run("apply", "--source", "site", folder).status == 0)
    try control.perform("set", "web.motd", "bye")
    let json = try control.run("apply", "--json", "--source", "site", folder)
    #expect(json.status == 14)
    #expect(json.output == "{\"stores\":4,\"changed\":1,\"removed\":0,\"applied\":true}\n")
    #expect(try control.run("get", "web.port", "web.motd").output == "web.port\t9090\nweb.motd\thello\n")
    // New rules for a value that they allow.
    try write(Self.rules.replacing("65535", with: "10000"), "10-rules.json5")
    #expect(try control.run("apply", "--source", "site", folder).status == 14)
    #expect(try control.run("set", "web.port", "10001").status == 6)
  }

  @Test("a dry run prints what would change, line by line, and changes nothing")
  func dryRun() throws {
    try control.perform("set", "web.motd", "old")
    #expect(try control.run("apply", "--source", "site", "\(folder)/20-values.jsonl").status == 14)
    try write(
      store("web.motd", 1).replacing("integer", with: "string").replacing(":1}", with: ":\"new\"}"),
      "20-values.jsonl")
    let before = try revision()
    let dry = try control.run("apply", "--dry-run", "--prune", "--source", "site", folder)
    #expect(dry.status == 14)
    #expect(
      dry.output == """
        + {"name":"web.port","type":"integer","value":8080,"schema":{"initial":8080,"maximum":65535}}
        + {"name":"web.theme","type":"json","value":"{\\"dark\\":true}","schema":{"initial":"{\\"dark\\":true}"}}
        - {"name":"web.motd","type":"string","value":"hello"}
        + {"name":"web.motd","type":"string","value":"new"}
        - {"name":"web.ratio","type":"double","value":0.5,"schema":{"initial":0.0,"minimum":0.0,"maximum":1.0}}

        """)
    #expect(try revision() == before)
    #expect(try control.run("apply", "--prune", "--source", "site", folder).status == 14)
    let again = try control.run("apply", "--dry-run", "--prune", "--source", "site", folder)
    #expect(again == Control.Result(status: 0, output: "", errors: ""))
  }

  @Test("pruning removes what the source made and no file names, whenever that was, and nothing else")
  func prune() throws {
    try control.perform("set", "mine", "1")
    #expect(try control.run("apply", "--source", "site", folder).status == 14)
    #expect(try control.run("apply", "--source", "other", write(store("other.a", 1), "o.jsonl")).status == 14)
    unlink("\(folder)/o.jsonl")
    // A store moves to another file, one is no longer named, and one was removed by hand.
    try write("{\"name\":\"web.motd\",\"type\":\"string\",\"value\":\"hello\"}\n", "30-motd.jsonl")
    unlink("\(folder)/20-values.jsonl")
    try write(
      "{ stores: { \"web.port\": { type: \"integer\", initial: 8080, maximum: 65535 } } }", "10-rules.json5")
    try control.perform("remove", "web.theme")
    // Without --prune nothing is removed, and nothing is forgotten.
    #expect(try control.run("apply", "--source", "site", folder).status == 0)
    #expect(
      try applied("site").contains(
        "\"web.motd\":\"30-motd.jsonl\",\"web.port\":\"10-rules.json5\",\"web.ratio\""))
    #expect(try stores().contains("web.ratio"))
    let pruned = try control.run("apply", "--prune", "--json", "--source", "site", folder)
    #expect(pruned.status == 14 && pruned.output.contains("\"removed\":1"), "\(pruned)")
    #expect(try applied("site") == "{\"web.motd\":\"30-motd.jsonl\",\"web.port\":\"10-rules.json5\"}\n")
    #expect(try stores() == ["applied.other", "applied.site", "mine", "other.a", "web.motd", "web.port"])
    #expect(try control.run("apply", "--prune", "--source", "site", folder).status == 0)
    // Without a file everything goes, and what was known of the source, too.
    #expect(try control.run("apply", "--prune", "--source", "site").status == 14)
    #expect(try stores() == ["applied.other", "mine", "other.a"])
    #expect(try control.run("apply", "--prune", "--source", "site").status == 0)
  }

  @Test("what others have made is not the source's, and stays")
  func adopted() throws {
    try control.perform("set", "web.mine", "42")
    let file = try write(
      "{ stores: { \"web.mine\": { type: \"integer\" }, \"web.new\": { type: \"integer\" } } }", "o.json5")
    #expect(try control.run("apply", "--source", "site", file).status == 14)
    #expect(try applied("site") == "{\"web.new\":\"o.json5\"}\n")
    #expect(try control.run("apply", "--source", "site", "--prune").status == 14)
    #expect(try stores() == ["web.mine"])
    // A store that was replaced is the source's.
    let replaced = try write("{\"name\":\"web.mine\",\"type\":\"string\",\"value\":\"a\"}\n", "p.jsonl")
    #expect(try control.run("apply", "--source", "site", "--replace", replaced).status == 14)
    #expect(try applied("site") == "{\"web.mine\":\"p.jsonl\"}\n")
  }

  @Test("a user who may not read a store of the source prunes nothing, and is told which it is")
  func hidden() throws {
    let path = control.directory.file("few.sock")
    let bench = try Bench(
      configuration: """
        { access: [{ match: "secret.**", read: "user:root" }],
          sockets: { few: { path: "\(path)", as: "user:daemon" } } }
        """)
    let both = try write(store("pub.a", 1) + store("secret.a", 2), "both.jsonl")
    #expect(try bench.control.run("apply", "--source", "pub", both).status == 14)
    try write(store("pub.a", 1), "both.jsonl")
    let few = Control(directory: bench.directory, socket: path)
    for words in [[both], [], ["--dry-run", both]] {
      let result = try few.run(["apply", "--source", "pub", "--prune"] + words)
      #expect(result.status == 7 && result.errors.contains("secret.a: this source made it"), "\(result)")
    }
    #expect(try bench.control.run("apply", "--source", "pub", "--prune", both).status == 14)
    #expect(try bench.control.run("get", "secret.a").status == 4)
  }

  @Test("an output that cannot be written is a failure", arguments: ["> /dev/full", ">&-"])
  func output(to place: String) throws {
    for words in ["--dry-run", "--json"] {
      let result = try control.shell("statectl apply --source site \(words) \(folder) \(place)")
      #expect(result.status == 1 && !result.errors.isEmpty, "\(words): \(result)")
    }
  }

  @Test("more is pruned than one transaction holds")
  func longPrune() throws {
    for part in 0..<3 {
      try write((0..<2000).map { store("many.\(part).\($0)", $0) }.joined(), "\(part).jsonl")
    }
    #expect(try control.run("apply", "--source", "site", folder).status == 14)
    for part in 0..<3 { unlink("\(folder)/\(part).jsonl") }
    let pruned = try control.run("apply", "--prune", "--json", "--source", "site", folder)
    #expect(pruned.status == 14 && pruned.output.contains("\"removed\":6000"), "\(pruned)")
    #expect(try stores() == ["applied.site", "web.motd", "web.port", "web.ratio", "web.theme"])
  }

  @Test("a store has one source, which describe names")
  func sources() throws {
    #expect(try control.run("apply", "--source", "site", folder).status == 14)
    #expect(try control.run("describe", "web.motd").output.contains("source:       site, 20-values.jsonl\n"))
    #expect(try control.run("describe", "web.motd", "--json").output.contains("\"source\":\"site\""))
    #expect(try !control.run("describe", "applied.site").output.contains("source:"))
    let other = try control.run("apply", "--source", "other", "\(folder)/20-values.jsonl")
    #expect(other.status == 5)
    #expect(other.errors == "statectl: \(folder)/20-values.jsonl: line 1: web.motd: its source is site\n")
    #expect(try control.run("get", "applied.other").status == 4)
  }

  @Test("nothing is applied if the hub refuses anything, and the message names file and line")
  func refused() throws {
    try control.perform("create", "web.ratio", "--type", "string")
    let refused = try control.run("apply", "--source", "site", folder)
    #expect(refused.status == 6)
    #expect(
      refused.errors
        == "statectl: \(folder)/20-values.jsonl: line 2: web.ratio: the store holds a string, which a double store cannot keep: remove it first (--replace removes the store first); nothing was applied\n",
      "\(refused.errors)")
    #expect(try stores() == ["web.ratio"])
    #expect(try control.run("apply", "--replace", "--source", "site", folder).status == 14)
    #expect(try control.run("get", "web.ratio").output == "0.5\n")
    #expect(try control.run("apply", "--replace", "--source", "site", folder).status == 0)
  }

  @Test("a file is applied as a whole or not at all, and what was applied before a failure is said and known")
  func partly() throws {
    let bench = try Bench(configuration: "{ maxStores: 8 }")
    let file = try write((0..<6).map { store("late.\($0)", $0) }.joined(), "30-late.jsonl")
    let failed = try bench.control.run("apply", "--source", "site", folder)
    #expect(failed.status == 8)
    #expect(failed.errors.hasPrefix("statectl: \(file): "), "\(failed.errors)")
    #expect(failed.errors.contains("; 2 files applied before; nothing was applied\n"), "\(failed.errors)")
    let list = try bench.control.run("list").output
    #expect(list == "applied.site\nweb.motd\nweb.port\nweb.ratio\nweb.theme\n")
    #expect(try !bench.control.run("get", "applied.site").output.contains("late"))
    // It continues where it ended.
    try write(store("late.0", 0), "30-late.jsonl")
    let again = try bench.control.run("apply", "--json", "--source", "site", folder)
    #expect(again.status == 14 && again.output.contains("\"changed\":1,"))
  }

  @Test("a file that no transaction can hold is refused whole")
  func tooLong() throws {
    try write((0..<5000).map { store("many.\($0)", $0) }.joined(), "30-many.jsonl")
    let refused = try control.run("apply", "--source", "site", folder)
    #expect(refused.status == 6)
    #expect(
      refused.errors.contains("a file is one transaction: split it; nothing was applied\n"),
      "\(refused.errors)")
    #expect(try stores().isEmpty)
  }

  @Test("applies of one source at the same time: one goes first, and what is known of the source stays true")
  func concurrent() throws {
    var statuses: [Int32: Int] = [:]
    for round in 0..<5 {
      var running: [ChildProcess] = []
      for index in 0..<6 {
        let file = try write(
          (0...index).map { store("c.\($0 + round)", 10 * round + index) }.joined(), "c\(index).jsonl")
        running.append(try control.start("apply", "--prune", "--source", "site", file))
      }
      for process in running {
        let status = try process.status()
        statuses[status, default: 0] += 1
        if status == 5 {
          #expect(process.standardError.contains("applied by another process at the same time"))
        } else {
          #expect(status == 14 || status == 0, "\(process.standardError)")
        }
      }
      // Those that failed did nothing: the stores are those of one of them, whole.
      let names = try stores().filter { $0.hasPrefix("c.") }
      let known = try applied("site")
      for name in names { #expect(known.contains("\"\(name)\":"), "\(known) lacks \(name)") }
      #expect(known.split(separator: ":").count - 1 == names.count, "\(known): \(names)")
      let values = Set(try names.map { try control.run("get", $0).output })
      #expect(values.count == 1, "\(values)")
    }
    #expect(statuses[14, default: 0] >= 5)
  }

  @Test(
    "a value that ends by itself is made to stay, and a declared store keeps its rules and is not the source's"
  )
  func kinds() throws {
    let bench = try Bench(configuration: "{ stores: { \"web.port\": { type: \"integer\", maximum: 10 } } }")
    try bench.control.perform("set", "web.motd", "hello", "--ttl", "1h")
    let file = try write(Self.values + store("web.port", 7), "20-values.jsonl")
    #expect(try bench.control.run("apply", "--source", "site", file).status == 14)
    #expect(try !bench.control.run("describe", "web.motd").output.contains("ttl:"))
    #expect(try bench.control.run("get", "web.port").output == "7\n")
    #expect(try !bench.control.run("describe", "web.port").output.contains("source:"))
    // Both were there before.
    #expect(try bench.control.run("apply", "--prune", "--source", "site").status == 14)
    #expect(try bench.control.run("list").output == "web.motd\nweb.port\n")
  }

  @Test("users apply with their own rights, and need those for the source's store")
  func access() throws {
    let directory = control.directory
    let bench = try Bench(
      configuration: """
        { defaultAccess: "closed",
          access: [
            { match: "web.**", read: "anyone", write: "anyone", create: "anyone", define: "anyone", remove: "anyone" },
            { match: "applied.web", read: "anyone", write: "anyone", create: "anyone", remove: "anyone" },
          ],
          sockets: { guest: { path: "\(directory.file("guest.sock"))", as: "user:50021" } } }
        """)
    _ = try bench.hub.connect()
    let guest = Control(directory: directory, socket: directory.file("guest.sock"))
    let denied = try guest.run("apply", "--source", "site", folder)
    #expect(denied.status == 7, "\(denied)")
    #expect(denied.errors.contains("applied.site"), "\(denied.errors)")
    #expect(try guest.run("apply", "--source", "web", folder).status == 14)
    #expect(try guest.run("apply", "--source", "web", folder).status == 0)
    #expect(try guest.run("describe", "web.motd").output.contains("source:       web, "))
    #expect(try guest.run("apply", "--source", "web", "--prune").status == 14)
    #expect(try bench.control.run("list").output.isEmpty)
  }

  @Test(
    "a mistake is found before the hub is asked",
    arguments: [
      (
        "{ stores: { a: { type: \"integer\", min: 0 } } }", "a.json5",
        "line 1: a: a store has no member \"min\"\n"
      ),
      ("{ stores: {\n  a: { initial: 0 } } }", "a.json5", "line 2: a: a store has no type"),
      ("{ stores: {\n  a: 1 } }", "a.json", "line 2: a: a store must be an object, not a number"),
      ("{ store: {} }", "a.json5", "the file has no member \"store\", did you mean stores?"),
      ("{ stores: {\n a b } }", "a.json5", "line 2: column 4: "),
      ("{ stores: { a: { type: \"integer\", initial: 5, maximum: 4 } } }", "a.json5", "line 1: a: initial"),
      ("{\"name\":\"a\",\"type\":\"integer\"}", "a.jsonl", "line 1: a: a store has no value"),
      (
        "{\"name\":\"applied.x\",\"type\":\"json\",\"value\":\"{}\"}", "a.jsonl",
        "line 1: applied.x: the name belongs to apply"
      ),
      (
        "{\"name\":\"web.port\",\"type\":\"integer\",\"value\":1}", "a.jsonl",
        "line 1: web.port: the store is already in "
      ),
      ("", "a.jsonl", "the dump is empty"),
    ])
  func mistakes(text: String, name: String, message: String) throws {
    let file = try write(text, name)
    // The store that stands twice is in the first of them.
    let refused = try control.run("apply", "--source", "site", "\(folder)/10-rules.json5", file)
    #expect(refused.status == 6, "\(refused)")
    #expect(refused.errors.hasPrefix("statectl: \(file): \(message)"), "\(refused.errors)")
    #expect(try stores().isEmpty)
  }

  @Test("wrong words are usage, and a file that cannot be read is named")
  func usage() throws {
    for words in [
      ["apply", folder], ["apply", "--source", "site"], ["apply", "--source", "site", "\(folder)/README"],
    ] {
      let process = try control.start(words)
      #expect(try process.status() == 2, "\(words)")
    }
    #expect(try control.run("apply", "--source", "a..b", folder).status == 6)
    let missing = try control.run("apply", "--source", "site", "/nowhere/a.json5")
    #expect(missing.status == 1)
    #expect(missing.errors == "statectl: cannot read /nowhere/a.json5: No such file or directory\n")
  }

  // MARK: The examples
}
