// What is typed at statectl and what it shows: dashes, broken JSON, conditions, and characters that nobody sees.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("What statectl is given and shows", .blocking)
final class StatectlTypingTests: BenchSuite {
  @Test("after -- a dash is a value, and not standard input")
  func literalDash() throws {
    for arguments in [["set", "a", "--", "-"], ["set", "--", "a", "-"], ["--", "set", "a", "-"]] {
      try control.perform("set", "a", "--type", "string", "other", "--force")
      let set = try control.start(arguments, input: "from standard input\n")
      #expect(try set.status() == 0)
      try expect(control.run("get", "a"), "-\n")
    }
    #expect(try control.start(["set", "a", "-"], input: "from standard input\n").status() == 0)
    try expect(control.run("get", "a"), "from standard input\n")
  }

  @Test(
    "no table, no line and no terminal gets characters that turn the direction of writing, a pipe gets them as they are"
  )
  func direction() throws {
    let text = "safe\u{202E}txt.exe"
    let shown = #"safe\u202etxt.exe"#
    try control.perform("set", "a", text)
    try control.perform("create", "b", "--type", "string", "--description", text, "--choices", text)
    try expect(control.run("get", "a"), text + "\n")
    try expect(control.run("get", "a", "b"), "a\t\(shown)\nb\t\(shown)\n")
    for arguments in [
      ["list", "-l"], ["describe", "b"], ["watch", "-1", "a"], ["get", "a", "--json"], ["dump"],
    ] {
      let process = try control.start(arguments)
      #expect(try process.status() == 0)
      #expect(process.standardOutput.contains(shown), "\(arguments)")
      #expect(!process.standardOutput.unicodeScalars.contains("\u{202E}"), "\(arguments)")
    }
    let terminal = try PseudoTerminal()
    #expect(try control.startShell("statectl get a > \(terminal.path)").status() == 0)
    #expect(try terminal.line() == shown)
    let fallback = "statectl get nothing --default '\(text)' > \(terminal.path)"
    #expect(try control.startShell(fallback).status() == 0)
    #expect(try terminal.line() == shown)
    try expect(control.run("get", "a", "nothing", "--default", "x\ny"), "a\t\(shown)\nnothing\tx\\ny\n")
    #expect(try control.run("remove", "nothing\u{202E}").errors.contains(#"nothing\u202e"#))
  }

  @Test("what the first value or another program has decided is named together with what to do about it")
  func decided() throws {
    try control.perform("set", "x", "20")
    try expect(
      control.run("set", "x", "20.5"), "", status: 6,
      errors: "statectl: x: '20.5' is not an integer, and the store holds integers "
        + "(create x --type double lets it hold fractions)\n")
    try expect(
      control.run("create", "x", "--type", "double"), "",
      errors: "statectl: x: type was integer, and is double; initial was not set, and is 0.0\n")
    try expect(control.run("set", "x", "20.5"), "")
    let missing = "there is no such store: create it first (create visits --initial"
    try expect(control.run("add", "visits"), "", status: 4, errors: "statectl: visits: \(missing) 0)\n")
    try expect(
      control.run("add", "visits", "0.5"), "", status: 4, errors: "statectl: visits: \(missing) 0.0)\n")
    let create = ["create", "volume", "--type", "integer", "--minimum", "0", "--maximum"]
    #expect(try control.start(create + ["10"]).status() == 0)
    let cases: [([String], String?)] = [
      (create + ["10"], ""), (create + ["10", "--if-absent"], nil),
      (
        create + ["100", "--initial", "5"],
        "statectl: volume: initial was 0, and is 5; maximum was 10, and is 100\n"
      ),
      (
        ["create", "volume", "--type", "integer"],
        "statectl: volume: initial was 5, and is 0; minimum was 0, and is not set; maximum was 100, and is not set\n"
      ),
    ]
    for (arguments, errors) in cases {
      let process = try control.start(arguments)
      #expect(try process.status() == (errors == nil ? 5 : 0))
      if let errors { #expect(process.standardError == errors) }
    }
  }

  @Test("statectl alone prints its help, and is a mistake")
  func alone() throws {
    let help = try control.run("--help")
    try expect(control.run(), help.output, status: 2)
  }

  @Test("a hub's names and release reach a terminal, a pipe and a message without what a terminal obeys")
  func lyingHub() throws {
    let name = "a\u{1B}]0;owned\u{7}\n"
    let listed = StoreSummary(
      name: name, id: StoreID(raw: 1), type: .integer, declared: false, revision: 1, version: 1, time: 1,
      length: 8,
      value: .integer(1))
    let replies: [([String], Reply)] = [
      (["list"], .listed([listed], more: false)), (["list", "-l"], .listed([listed], more: false)),
      (["ping"], .pong(revision: 1)), (["get", "a"], .error(HubError(.refused, store: name, "no\u{1B}[2J"))),
    ]
    for (words, reply) in replies {
      let path = bench.directory.file("lying-\(words.joined())")
      let hub = try PlayedHub(at: path)
      let process = try Control(directory: bench.directory, socket: path).start(words)
      try hub.serve { out in
        PlayedHub.welcome(&out, release: "1\u{1B}[31m")
        reply.encode(into: &out, request: 2)
      }
      _ = try process.status()
      let shown = process.standardOutput + process.standardError
      #expect(
        !shown.isEmpty && !shown.unicodeScalars.contains("\u{1B}") && !shown.unicodeScalars.contains("\u{7}"))
      #expect(shown.split(separator: "\n").count == (words == ["list", "-l"] ? 2 : 1), "\(shown)")
    }
  }

  @Test("a value that is most likely broken JSON makes no new store, and a string store takes it")
  func brokenJSON() throws {
    let result = try control.run("set", "new", #"{"a":"#)
    #expect(result.status == 6)
    #expect(result.errors.contains("--type string"))
    #expect(try control.run("get", "new").status == 4)
    try expect(control.run("set", "new", "--type", "string", #"{"a":"#), "")
    try expect(control.run("set", "new", #"{"b":"#), "")
    try expect(control.run("get", "new"), #"{"b":"# + "\n")
    try control.perform("create", "data", "--type", "data")
    try expect(control.run("set", "data", "[1"), "")
    #expect(try control.run("create", "other", "--initial", "[1").status == 6)
    let transaction = try control.run("txn", input: #"set fresh '{"a":'"#)
    #expect(transaction.status == 6 && transaction.errors.hasPrefix("statectl: line 1: fresh: "))
    try expect(control.run("txn", input: #"set new '{"c":'"#), "")
    try expect(control.run("get", "new"), #"{"c":"# + "\n")
    #expect(try control.run("get", "nothing", "--json", "--default", "[1").output.contains(#""value":"[1""#))
  }

  @Test("an integer is an integer")
  func articles() throws {
    try control.perform("set", "n", "5")
    #expect(
      try control.run("toggle", "n").errors
        == "statectl: n: only a boolean can be toggled; this is an integer\n")
    try control.perform("set", "text", "x")
    #expect(try control.run("add", "text").errors.hasSuffix("this is a string\n"))
  }

  @Test("what get prints is what --if-value takes, of every type, for set and in a transaction")
  func printedConditions() throws {
    let stores: [(name: String, type: String, values: [String])] = [
      ("i", "integer", ["1", "-7", "0"]),
      ("d", "double", ["1", "1.5", "-0.0", "1e22", "0.1", "100000000000000000000"]),
      ("b", "boolean", ["true", "false"]), ("s", "string", ["1", "1.0", "true", "{", "", "null"]),
      ("j", "json", ["1", "1.0", #"{"a": 1}"#, "\"x\"", "null"]), ("x", "data", ["1", "true", "[", "text"]),
    ]
    for (name, type, values) in stores {
      try control.perform("create", name, "--type", type)
      for value in values {
        try expect(control.run("set", name, value), "")
        var printed = try control.run("get", name).output
        if type != "data" { printed.removeLast() }
        // To itself: whatever the type is, the condition alone decides.
        for target in [value, values[0]] {
          let back = try control.run("set", name, "--if-value", printed, "--", target)
          #expect(back == Control.Result(status: 0, output: "", errors: ""), "\(name) \(value)")
          try control.perform("set", name, "--", value)
        }
        let line = "set \(name) --if-value '\(printed)' -- '\(value)'\n"
        #expect(try control.run("txn", input: line).errors == "", "\(line)")
        let wrong = try control.run(
          "set", name, "--if-value", values[0] == value ? values[1] : values[0], "--", value)
        #expect(wrong.status == 5, "\(name) \(value)")
      }
    }
    // A double's value without its fraction stands for it, too.
    try control.perform("set", "d", "1")
    try expect(control.run("set", "d", "2", "--if-value", "1"), "")
    try expect(control.run("set", "d", "3.5", "--if-value", "2"), "")
    try expect(control.run("get", "d"), "3.5\n")
  }
}
