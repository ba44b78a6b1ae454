// The verbs about many stores or about the hub itself: list, describe, txn, ping, clients, stats, help.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl's other verbs", .blocking)
final class StatectlHubTests: BenchSuite {
  @Test("list prints the names in order, of all stores or those that match")
  func list() throws {
    #expect(try control.run("list") == Control.Result(status: 0, output: "", errors: ""))
    for name in ["b", "a.y", "a.x", "a.x.z"] { try control.perform("set", name, "1") }
    #expect(try control.run("list").output == "a.x\na.x.z\na.y\nb\n")
    #expect(try control.run("list", "a.*").output == "a.x\na.y\n")
    #expect(try control.run("list", "a.**").output == "a.x\na.x.z\na.y\n")
    #expect(try control.run("list", "nothing").output == "")
  }

  @Test("list -l adds type, revision, time and value, in columns")
  func long() throws {
    try control.perform("set", "a", "-5")
    try control.perform("set", "long.name", "x\ny")
    try control.perform("set", "big", "-", input: String(repeating: "x", count: 1000))
    let lines = try control.run("list", "-l").output.split(separator: "\n")
    #expect(lines[0].hasPrefix("NAME       TYPE     REVISION  CHANGED"))
    #expect(lines[1].hasPrefix("a          integer  ") && lines[1].hasSuffix(" UTC  -5"))
    #expect(lines[2].hasSuffix("(1000 bytes)"))
    #expect(lines[3].hasSuffix(#"x\ny"#))
    let json = try control.run("list", "a", "--json").output
    #expect(json.hasPrefix(#"{"name":"a","type":"integer","value":-5,"length":8,"revision":"#))
  }

  @Test("a list that is longer than one answer is printed whole")
  func pages() throws {
    let client = try bench.hub.connect()
    for number in 1000..<3500 {
      _ = try client.call(.write(.set(.name(.init("store.\(number)")), .integer(1))))
    }
    let lines = try control.run("list").output.split(separator: "\n")
    #expect(lines == (1000..<3500).map { "store.\($0)" })
  }

  @Test("describe shows schema, value, revision, the last change, watchers and where it was declared")
  func describe() throws {
    try control.perform(
      "create", "a", "--type", "integer", "--minimum", "0", "--maximum", "9", "--initial", "3",
      "--description",
      "what")
    let watch = try control.start("watch", "a")
    _ = try watch.lines(1)
    try control.perform("set", "a", "4")
    let rows = try control.run("describe", "a").output.split(separator: "\n").map(String.init)
    for row in [
      "name:         a", "description:  what", "type:         integer", "value:        4", "initial:      3",
      "minimum:      0", "maximum:      9", "durability:   volatile", "declared:     at run time",
      "watchers:     1",
    ] {
      #expect(rows.contains(row), "\(row)")
    }
    #expect(rows.contains { $0.hasPrefix("revision:     ") && $0.hasSuffix(", change 2 of this store") })
    #expect(rows.contains { $0.hasPrefix("changed:      20") && $0.contains(" UTC by ") })
    let json = try control.run("describe", "a", "--json").output
    #expect(
      json.contains(#""schema":{"type":"integer","initial":3,"minimum":0,"maximum":9,"description":"what"}"#))
    #expect(json.contains(#""declared":false,"watchers":1"#))
  }

  @Test("a transaction is carried out whole, at one revision that watchers see at once")
  func transaction() throws {
    try control.perform("set", "stock", "10")
    try control.perform("create", "sold", "--type", "double")
    let watch = try control.start("watch", "stock", "sold", "--json", "--markers", "--changes-only")
    _ = try watch.lines(1)
    let script = """
      # a sale
      add stock -3
      set sold 3
      create note --type string
      set note '5'

      set fresh "two words"
      """
    let result = try control.run("txn", "--show-revision", input: script)
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      try control.run("get", "stock", "sold", "note", "fresh").output
        == "stock\t7\nsold\t3.0\nnote\t5\nfresh\ttwo words\n")
    let revision = result.output.dropLast()
    let lines = try watch.lines(4)
    #expect(lines[1].contains("\"revision\":\(revision),") && lines[2].contains("\"revision\":\(revision),"))
    #expect(lines[3].contains("synced"))
    let json = try control.run("txn", "--json", input: "add stock\nremove note").output
    #expect(json.contains(#""results":[{"name":"stock","value":8,"#) && json.contains(#"{"name":"note","#))
  }

  @Test("of a transaction that fails nothing is carried out, and the line is named")
  func failedTransaction() throws {
    try control.perform("create", "a", "--type", "integer", "--maximum", "10", "--initial", "5")
    for (script, status, message) in [
      ("add a 1\nadd a 100\n", Int32(6), "line 2: a: 106 is above the maximum"),
      ("add a 1\n\nadd nope 1\n", 4, "line 3: nope: there is no such store"),
      ("add a 1\nset a 7 --if-value 5\n", 5, "line 2: a: "),
      ("add a 1\nset a abc\n", 6, "line 2: a: 'abc' is not an integer"),
      ("add a 1\nget a\n", 2, "line 2: there is no verb 'get'"),
      ("add a 1\nset b 'x\n", 2, "line 2: a quote is not closed"),
      ("add a 1\nset b 1 --json\n", 2, "line 2: --json belongs on the command line"),
    ] {
      let result = try control.run("txn", input: script)
      #expect(result.status == status, "\(script)")
      #expect(result.errors.hasPrefix("statectl: " + message), "\(result.errors)")
      #expect(try control.run("get", "a").output == "5\n")
    }
    #expect(
      try control.run("txn", input: "\n# nothing\n") == Control.Result(status: 0, output: "", errors: ""))
  }

  @Test("ping says who answers")
  func ping() throws {
    let result = try control.run("ping")
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("statehub "))
    #expect(result.output.contains("pid \(bench.hub.pid), revision 0"))
    #expect(try control.run("ping", "--json").output.contains(#""pid":\#(bench.hub.pid),"#))
  }

  @Test("clients shows each connection, and this one too")
  func clients() throws {
    let watch = try control.start("watch", "a", "b")
    try bench.hub.waitForWatches(2)
    let lines = try control.run("clients").output.split(separator: "\n")
    #expect(lines[0].hasPrefix("CONNECTION  PID"))
    let row = lines.first { $0.hasSuffix("statectl watch") }?.split(separator: " ").map(String.init)
    #expect(row?[1] == "\(watch.pid)")
    #expect(lines.contains { $0.hasSuffix("statectl clients") })
    let json = try control.run("clients", "--json").output.split(separator: "\n")
    #expect(json.contains { $0.contains(#""pid":\#(watch.pid),"#) && $0.contains(#""watches":2,"#) })
  }

  @Test("stats prints a name and a number in a line, or one object")
  func stats() throws {
    try control.perform("set", "a", "1")
    let lines = try control.run("stats").output.split(separator: "\n")
    #expect(lines.contains("stores\t1"))
    #expect(lines.allSatisfy { $0.split(separator: "\t").count == 2 })
    #expect(try control.run("stats", "--json").output.hasPrefix("{"))
  }

  @Test("the hub is chosen by --socket, then the environment, and --user and --system name the others")
  func places() throws {
    let script = "unset STATEHUB_SOCKET; statectl --socket \(bench.hub.socket) ping"
    #expect(try control.shell(script).status == 0)
    let user = try control.shell("XDG_RUNTIME_DIR=\(bench.directory.path) statectl --user ping")
    #expect(user.status == 3)
    #expect(user.errors.contains("\(bench.directory.path)/statehub/hub.sock"))
    #expect(try control.run("--user", "--system", "ping").status == 2)
  }

  @Test("help and --help print the same on standard output, without a hub")
  func help() throws {
    let nowhere = Control(directory: bench.directory, socket: "/nowhere")
    let overview = try nowhere.run("--help")
    #expect(overview.status == 0 && overview.errors.isEmpty)
    #expect(overview.output.contains("statectl help VERB explains a verb"))
    #expect(try nowhere.run("help").output == overview.output)
    let watch = try nowhere.run("help", "watch")
    #expect(watch.status == 0)
    #expect(watch.output.contains("Examples:\n  statectl watch audio.volume\n"))
    #expect(try nowhere.run("watch", "--help").output == watch.output)
    #expect(try nowhere.run("--version").output.hasPrefix("statectl "))
    let unknown = try nowhere.run("help", "wacth")
    #expect(unknown.status == 2)
    #expect(unknown.errors == "statectl: there is no verb 'wacth' (did you mean watch?)\n")
  }

  @Test("a hub that does not answer is status 124 after the time limit")
  func silentHub() throws {
    bench.hub.process.signal(SIGSTOP)
    let result = try control.run("get", "a", "--timeout", "200ms")
    #expect(result.status == 124)
    let write = try control.run("set", "a", "1", "--timeout", "200ms")
    #expect(write.status == 124)
    #expect(write.errors.contains("its outcome is unknown"))
    bench.hub.process.signal(SIGCONT)
  }
}
