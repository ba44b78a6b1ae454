// statectl with several stores at once: globs for get and remove, set with many values, what is too long for one frame.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl with many stores", .blocking)
final class StatectlManyTests: BenchSuite {
  @Test("get with a glob prints all that match, in the order of their names, beside what is named")
  func getMatching() throws {
    try control.perform("set", "net.b.up", "true", "net.a", "x y", "net.b", "1", "other", "2")
    #expect(
      try control.run("get", "net.*")
        == Control.Result(status: 0, output: "net.a\tx y\nnet.b\t1\n", errors: ""))
    #expect(
      try control.run("get", "net.**", "--show-revision").output
        == "net.a\t1\tx y\nnet.b\t1\t1\nnet.b.up\t1\ttrue\n")
    #expect(try control.run("get", "other", "net.b.*").output == "other\t2\nnet.b.up\ttrue\n")
    let lines = try control.run("get", "net.*", "--json").output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines[0].hasPrefix(#"{"name":"net.a","value":"x y","type":"string","revision":1,"version":1,"time":""#))
    let missing = try control.run("get", "net.a", "nothing", "no.*")
    #expect(missing.status == 4 && missing.output == "net.a\tx y\n")
    #expect(
      missing.errors
        == "statectl: nothing: there is no such store: set or create it first\nstatectl: no.*: no store matches\n"
    )
    #expect(
      try control.run("get", "net.a", "nothing", "net.*", "--default", "?").output.contains("nothing\t?\n"))
    #expect(try control.run("get", "net.*x").status == 6)
  }

  @Test("set with several stores is one transaction, each value read as its store's type")
  func setSeveral() throws {
    try control.perform("create", "s", "--type", "string", "--initial", "")
    let set = try control.run("set", "a", "1", "s", "2", "b", "x", "--show-revision")
    #expect(set == Control.Result(status: 0, output: "2\n", errors: ""))
    #expect(
      try control.run("get", "--json", "s").output.contains(#""value":"2","type":"string","revision":2"#))
    let refused = try control.run("set", "b", "y", "a", "x")
    #expect(refused == Control.Result(status: 6, output: "", errors: "statectl: a: 'x' is not an integer\n"))
    let absent = try control.run("set", "c", "1", "a", "5", "--if-absent")
    #expect(absent.status == 5 && absent.errors == "statectl: a: the store exists\n")
    #expect(try control.run("get", "b", "c").output == "b\tx\n")
    #expect(
      try control.run("set", "c", "1", "d", "5", "--json").output.hasPrefix(
        #"{"revision":3,"results":[{"name":"c","#))
    #expect(try control.run("set", "t", "-", "u", "5", "--ttl", "1h", input: "in\n").status == 0)
    #expect(try control.run("get", "t").output == "in\n")
    #expect(try control.run("describe", "u").output.contains("ttl:"))
    for words in [
      ["a", "1", "b"], ["a", "1", "b", "2", "--if-revision", "1"], ["a", "1", "b", "2", "--if-value", "1"],
    ] {
      #expect(try control.start(["set"] + words).status() == 2, "\(words)")
    }
    #expect(
      try control.run("txn", input: "set a 1 b 2\n").errors
        == "statectl: line 1: a line of a transaction can set only one store\n")
  }

  @Test("remove with several names is one transaction, and what is named must be there")
  func removeSeveral() throws {
    try control.perform("set", "a", "1", "b", "1", "c", "1")
    #expect(try control.run("remove", "a", "nothing").status == 4)
    #expect(try control.run("list").output == "a\nb\nc\n")
    let json = try control.run("remove", "a", "b", "--json")
    #expect(json.output == "{\"removed\":2,\"revision\":2}\n")
    #expect(try control.run("list").output == "c\n")
    #expect(try control.run("remove", "c", "d", "--if-revision", "1").status == 2)
    #expect(try control.run("txn", input: "remove c d\n").status == 2)
  }

  @Test("remove with a glob takes --yes where nobody can be asked")
  func removeMatching() throws {
    try control.perform("set", "tmp.a", "1", "tmp.b.c", "1", "other", "1")
    #expect(
      try control.run("remove", "tmp.**")
        == Control.Result(
          status: 2, output: "",
          errors: "statectl: that would remove 2 stores (use --yes, or check with statectl list)\n"))
    #expect(try control.run("list").output == "other\ntmp.a\ntmp.b.c\n")
    #expect(try control.run("remove", "tmp.**", "--yes") == Control.Result(status: 0, output: "", errors: ""))
    #expect(try control.run("list").output == "other\n")
    #expect(try control.run("remove", "tmp.**").status == 0)
  }

  @Test("on a terminal it asks, and only y removes")
  func asked() throws {
    let terminal = try PseudoTerminal()
    let script = "statectl remove 'tmp.*' < \(terminal.path) 2> \(terminal.path)"
    try control.perform("set", "tmp.a", "1", "tmp.b", "1")
    for (answer, status) in [("n", Int32(1)), ("", 1), ("y", 0)] {
      #expect(try control.run("list").output == "tmp.a\ntmp.b\n")
      let remove = try control.startShell(script)
      let question = try terminal.text(through: "[y/N] ")
      #expect(question.hasSuffix("statectl: remove 2 stores (tmp.a, tmp.b)? [y/N] "))
      try terminal.type(answer)
      #expect(try remove.status() == status)
    }
    #expect(try control.run("list").output == "")
  }

  @Test("more than a transaction holds is removed in several, which it says; named stores never are")
  func removeManyTransactions() throws {
    let count = 9000
    let lines = (0..<count).map { #"{"name":"tmp.\#($0)","type":"integer","value":1}"# }
    let load = try control.run("load", "--json", input: lines.joined(separator: "\n") + "\n")
    #expect(load.status == 0 && load.output.hasSuffix(#","steps":3}"# + "\n"))
    #expect(
      load.errors
        == "statectl: the stores were loaded in 3 steps, not at one revision: a transaction's size is limited\n"
    )
    let named = try control.startShell(
      "statectl remove \((0..<count).map { "tmp.\($0)" }.joined(separator: " "))")
    #expect(try named.status() == 6)
    #expect(named.standardError.contains("use several transactions, or load"))
    let remove = try control.run("remove", "tmp.*", "--yes")
    #expect(remove.status == 0)
    #expect(remove.errors == "statectl: 9000 stores were removed in 3 transactions, not at one revision\n")
    #expect(try control.run("list").output == "")
  }

  @Test(
    "what is longer than a frame is refused with the reason, whatever was sent before", arguments: [1, 2, 5])
  func tooLong(megabytes: Int) throws {
    let text = String(repeating: "x", count: megabytes << 20)
    for _ in 0..<3 {
      let set = try control.run("set", "a", "-", input: text)
      #expect(set.status == 6)
      #expect(set.errors.contains("is longer than maxFrameBytes"), "\(set.errors)")
    }
    let long = (0..<6).map { "set a.\($0) \(String(repeating: "x", count: 200_000))\n" }.joined()
    let txn = try control.run("txn", input: long)
    #expect(txn.status == 6)
    #expect(txn.errors.hasSuffix("; use several transactions, or load\n"))
  }
}
