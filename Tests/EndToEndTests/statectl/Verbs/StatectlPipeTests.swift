// statectl pipe: the lines of its page, values of every type, mistakes, and a hub that goes away and comes back.

import Glibc
import HubCore
import TestSupport
import Testing

/// A program that talks to statectl pipe.
private struct Talk {
  let process: ChildProcess
  private let keyboard: Keyboard

  init(_ control: Control, _ arguments: [String] = []) throws {
    keyboard = try Keyboard(in: control.directory, name: "pipe-\(UInt32.random(in: 0 ... .max))")
    process = try ChildProcess(
      ChildProcess.built("statectl"), ["pipe"] + arguments,
      environment: ["STATEHUB_SOCKET": control.socket], input: keyboard.path, directory: control.directory)
    _ = try process.lines(1)
  }

  func say(_ line: String) throws { try keyboard.type(line) }

  /// The first line that has this in it, of those from `start` on.
  @discardableResult
  func line(with part: String, from start: Int = 0) throws -> String {
    var count = start
    while true {
      let lines = try process.lines(count + 1)
      if let line = lines[count...].first(where: { $0.contains(part) }) { return line }
      count = lines.count
    }
  }

  /// The answer to a request, whose number is made here.
  func ask(_ members: String) throws -> String {
    let id = "\"q\(UInt32.random(in: 0 ... .max))\""
    try say("{\"id\": \(id), \(members)}")
    return try line(with: "{\"id\":\(id)").replacing("\"id\":\(id),", with: "")
  }
}

@Suite("statectl pipe", .blocking)
final class StatectlPipeTests: BenchSuite {
  /// What differs from run to run.
  private func masked(_ text: String) -> String {
    text.replacing(/"time":"[^"]*"/, with: "TIME").replacing(/"uid":[0-9]+/, with: "UID")
      .replacing(/"epoch":"[0-9a-f]{32}"/, with: "EPOCH")
  }

  @Test("restricts itself, its watches, and what it opens later, also on its next connections")
  func restrict() throws {
    try control.perform("set", "a", "1")
    let talk = try Talk(control)
    #expect(try talk.ask("\"op\": \"restrict\", \"to\": \"all\"").contains("to must be"))
    try talk.say("{\"id\": \"w\", \"op\": \"watch\", \"names\": [\"a\"]}")
    try talk.line(with: "{\"watch\":\"w\",\"revision\":")
    #expect(try !talk.ask("\"op\": \"restrict\", \"to\": \"reading\"").contains("error"))
    #expect(try talk.ask("\"op\": \"get\", \"name\": \"a\"").contains("\"value\":1"))
    #expect(try talk.ask("\"op\": \"set\", \"name\": \"a\", \"value\": 2").contains("\"denied\""))
    try bench.replaceHub()
    try talk.line(with: "{\"kind\":\"open\"", from: 1)
    #expect(try talk.ask("\"op\": \"set\", \"name\": \"a\", \"value\": 2").contains("\"denied\""))
    try talk.line(with: "\"kind\":\"reset\"")
    #expect(try !talk.ask("\"op\": \"restrict\", \"to\": \"nothing\"").contains("error"))
    #expect(try talk.ask("\"op\": \"get\", \"name\": \"a\"").contains("\"denied\""))
    #expect(try talk.ask("\"op\": \"watch\", \"names\": [\"b\"]").contains("\"denied\""))
    // The watch that there was goes on, until its connection is lost.
    try control.perform("set", "a", "3")
    try talk.line(with: "\"value\":3")
    try bench.replaceHub()
    try talk.line(with: "\"kind\":\"ended\"")
  }

  @Test("does what its page shows, line by line")
  func page() throws {
    let talk = try Talk(control)
    var seen = 0
    var expected: [String] = []
    func check(_ request: String) throws {
      let lines = try talk.process.lines(seen + expected.count)[seen...]
      #expect(lines.map(masked).sorted() == expected.map(masked).sorted(), "after \(request)")
      seen += lines.count
      expected = []
    }
    var request = "the start"
    var count = 0
    for block in PageBlock.all(of: "docs/pipe.md") where block.language == "text" {
      for line in block.text.split(separator: "\n") {
        if line.hasPrefix("> ") {
          try check(request)
          request = String(line.dropFirst(2))
          try talk.say(request)
          count += 1
        } else {
          expected.append(String(line.dropFirst(2)))
        }
      }
    }
    try check(request)
    #expect(count == 11)
  }

  @Test("a value becomes what its store holds, or what type says, or what it looks like")
  func values() throws {
    let talk = try Talk(control)
    for (type, initial, value, shown) in [
      ("double", "0", "5", "5.0"), ("string", #""""#, #""x""#, #""x""#),
      ("data", #""""#, #""/w==""#, #""/w==""#),
      ("json", "null", #"{"b": [1, null], "a": "x"}"#, #"{"a":"x","b":[1,null]}"#),
      ("json", "1", #""text""#, #""text""#),
      ("boolean", "false", "true", "true"), ("integer", "1", "9223372036854775807", "9223372036854775807"),
    ] {
      let name = "typed.\(type)"
      _ = try talk.ask(#""op": "create", "name": "\#(name)", "type": "\#(type)", "initial": \#(initial)"#)
      let set = try talk.ask(#""op": "set", "name": "\#(name)", "value": \#(value)"#)
      #expect(set.contains(#""revision":"#), "\(set)")
      #expect(
        try talk.ask(#""op": "get", "name": "\#(name)""#).contains("\"value\":\(shown),\"type\":\"\(type)\""))
      let again = try talk.ask(
        #""op": "txn", "ops": [{"op": "set", "name": "\#(name)", "value": \#(value), "ifValue": \#(value)}]"#)
      #expect(again.contains(#""changed":false"#), "\(again)")
      try control.perform("remove", name)
    }
    for (value, type) in [("1.5", "double"), ("[1]", "json"), ("null", "json"), (#""5""#, "string")] {
      _ = try talk.ask(#""op": "set", "name": "new.\#(type)", "value": \#(value)"#)
      #expect(try control.run("get", "--json", "new.\(type)").output.contains(#""type":"\#(type)""#))
    }
    #expect(try talk.ask(#""op": "set", "name": "d", "type": "data", "value": "AA==""#).contains("revision"))
    #expect(try control.run("get", "--json", "d").output.contains(#""type":"data""#))
    let wrong = try talk.ask(#""op": "set", "name": "new.double", "value": "x""#)
    #expect(
      wrong.contains(#""code":"typeMismatch","number":13,"status":6"#) || wrong.contains("typeMismatch"))
  }

  @Test("every write and its conditions do what statectl's verbs do")
  func writes() throws {
    let talk = try Talk(control)
    _ = try talk.ask(
      #""op": "create", "name": "n", "type": "integer", "minimum": 0, "maximum": 10, "initial": 4"#)
    #expect(try talk.ask(#""op": "add", "name": "n", "delta": 100, "clamp": true"#).contains(#""value":10"#))
    #expect(try talk.ask(#""op": "add", "name": "n""#).contains(#""code":"outOfRange""#))
    #expect(try talk.ask(#""op": "reset", "name": "n""#).contains(#""value":4"#))
    _ = try talk.ask(#""op": "set", "name": "b", "value": false"#)
    #expect(try talk.ask(#""op": "toggle", "name": "b""#).contains(#""value":true"#))
    #expect(
      try talk.ask(#""op": "set", "name": "b", "value": true, "ifAbsent": true"#).contains(#""conflict""#))
    #expect(
      try talk.ask(#""op": "set", "name": "b", "value": true, "force": true"#).contains(#""changed":true"#))
    #expect(try talk.ask(#""op": "remove", "name": "b", "ifRevision": 1"#).contains(#""conflict""#))
    #expect(try talk.ask(#""op": "remove", "name": "b""#).contains(#""changed":true"#))
    _ = try talk.ask(#""op": "set", "name": "t", "value": 1, "ttl": "1h""#)
    #expect(try control.run("describe", "t").output.contains(/ttl: +ends in 35/))
    _ = try talk.ask(#""op": "set", "name": "t", "value": 1, "ttl": 0.05"#)
    #expect(try control.run("wait", "t", "absent", "--timeout", "20").status == 0)
    let parts = try talk.ask(
      #""op": "txn", "ops": [{"op": "add", "name": "n"}, {"op": "toggle", "name": "no"}]"#)
    #expect(parts.contains(#""code":"noSuchStore""#) && parts.contains(#""name":"no","operation":1"#))
    #expect(try control.run("get", "n").output == "4\n")
  }

  @Test("a line that is no request is answered with an error, and the next one is served")
  func mistakes() throws {
    let talk = try Talk(control)
    for (line, reason) in [
      ("nonsense", "not JSON: column 1"), ("[1]", "a request must be an object, not an array"),
      (#"{"id": 1}"#, "a request needs an op: get, set"), (#"{"op": "sett"}"#, "did you mean set?"),
      (#"{"op": "get"}"#, "the request has no name"), (#"{"op": "get", "name": "a b"}"#, "invalidName"),
      (#"{"op": "set", "name": "a"}"#, "the request has no value"),
      (#"{"op": "set", "name": "a", "value": 1, "ttl": "soon"}"#, "ttl must be a time"),
      (#"{"op": "set", "name": "a", "value": 1, "ifRevision": -1}"#, "ifRevision must be a revision"),
      (#"{"op": "set", "name": "a", "value": 1, "ifRevision": "x:1"}"#, "ifRevision must be a revision"),
      (#"{"op": "set", "name": "a", "value": 1, "force": 1}"#, "force must be true or false"),
      (#"{"op": "add", "name": "a", "delta": "1"}"#, "delta must be a number"),
      (#"{"op": "get", "name": "a", "name": "b"}"#, "twice"),
      (#"{"op": "txn", "ops": []}"#, "ops must be a non-empty array"),
      (#"{"op": "txn", "ops": [{"op": "add", "name": "a"}, {"op": "get", "name": "a"}]}"#, #""operation":1"#),
      (#"{"op": "watch", "names": ["a"]}"#, "a watch needs its own id"),
      (#"{"id": 5, "op": "watch", "names": ["a.b*"]}"#, "invalidPattern"),
      (#"{"id": 5, "op": "watch", "names": ["a"], "deadband": 0}"#, "deadband must be a number above 0"),
      (#"{"id": 5, "op": "watch", "names": ["a"], "interval": "25h"}"#, "1 ms to 24 h"),
      (#"{"id": 5, "op": "watch", "names": ["a"], "deadline": 90000}"#, "1 ms to 24 h"),
      (#"{"id": 5, "op": "watch", "names": ["a"], "when": "gt 80"}"#, "when must be a non-empty array"),
      (#"{"id": 5, "op": "watch", "names": ["a"], "when": ["changes"]}"#, "an operator of wait"),
      (#"{"id": 5, "op": "watch", "names": ["a"], "when": ["gt"]}"#, "a condition compares"),
      (#"{"id": 5, "op": "watch", "names": ["a"], "every": true, "deadband": "5%"}"#, "malformed"),
      (#"{"id": 5, "op": "unwatch", "watch": 5}"#, "there is no such watch"),
    ] {
      let count = talk.process.standardOutput.split(separator: "\n").count
      try talk.say(line)
      let answer = try talk.process.lines(count + 1)[count]
      #expect(answer.contains(#""error":{"code":""#) && answer.contains(reason), "\(line): \(answer)")
    }
    try talk.say("   ")
    for id in ["null", "[1,{\"a\":2}]", "1.50", "\"ü\""] {
      try talk.say("{\"op\": \"ping\", \"id\": \(id)}")
      try talk.line(with: "{\"id\":\(id),\"revision\":")
    }
  }

  @Test("many requests at once are answered in their order, and the end of the input ends it")
  func many() throws {
    let lines = (1...1000).map { "{\"id\":\($0),\"op\":\"add\",\"name\":\"n\"}\n" }.joined()
    try control.perform("set", "n", "0")
    // The last line has no end.
    let result = try control.run("pipe", input: String(lines.dropLast()))
    #expect(result.status == 0 && result.errors.isEmpty)
    let answers = result.output.split(separator: "\n").dropFirst()
    #expect(answers.count == 1000)
    for (index, answer) in answers.enumerated() {
      #expect(answer.hasPrefix("{\"id\":\(index + 1),\"name\":\"n\",\"value\":\(index + 1),"))
    }
  }

  @Test("without a hub it is status 3, and without a reader it ends")
  func ends() throws {
    let talk = try Talk(control)
    #expect(try control.shell("echo '{\"op\": \"ping\"}' | statectl pipe | head -n 1").status == 0)
    let unread = try control.startShell("{ sleep 3600; } | { statectl pipe; echo $? >&2; } | :")
    try unread.wait(until: "statectl has ended") { unread.standardError == "0\n" }
    unread.kill()
    bench.hub.kill()
    try talk.line(with: #"{"kind":"closed","error":{"code":"connectionLost""#)
    #expect(try talk.ask(#""op": "ping""#).contains(#""code":"noHub""#))
    #expect(try control.run("pipe").status == 3)
  }

  @Test("a watch with a deadband is shown what leaves it, and how much was left out")
  func deadband() throws {
    let talk = try Talk(control)
    _ = try talk.ask(#""op": "set", "name": "a", "value": 10"#)
    try talk.say(#"{"id": "w", "op": "watch", "names": ["a"], "interval": "1ms", "deadband": "50%"}"#)
    try talk.line(with: #"{"watch":"w","name":"a","value":10"#)
    for value in [12, 14, 15] { _ = try talk.ask(#""op": "set", "name": "a", "value": \#(value)"#) }
    try talk.line(with: #"{"watch":"w","name":"a","value":15,"revision":4,"kind":"changed","skipped":2,"#)
    try talk.say(#"{"id": "v", "op": "watch", "names": ["a"], "when": ["eq", 20, "x"]}"#)
    try talk.line(with: #"{"watch":"v","name":"a","value":15"#)
    for value in [16, 20, 21] { _ = try talk.ask(#""op": "set", "name": "a", "value": \#(value)"#) }
    try talk.line(with: #"{"watch":"v","name":"a","value":20,"revision":6,"kind":"changed","skipped":1,"#)
    try talk.line(with: #"{"watch":"v","name":"a","value":21,"revision":7,"kind":"changed","skipped":0,"#)
  }

  @Test("a watch with a deadline is shown that nobody writes, and that somebody does again")
  func deadline() throws {
    let talk = try Talk(control)
    _ = try talk.ask(#""op": "set", "name": "a", "value": 10"#)
    try talk.say(#"{"id": "w", "op": "watch", "names": ["a"], "deadline": "20ms"}"#)
    try talk.line(with: #"{"watch":"w","name":"a","value":10,"revision":1,"kind":"initial""#)
    try talk.line(with: #""overdue":true"#)
    let before = talk.process.standardOutput.split(separator: "\n").count
    _ = try talk.ask(#""op": "set", "name": "a", "value": 10"#)
    try talk.line(
      with: #"{"watch":"w","name":"a","value":10,"revision":1,"kind":"changed","skipped":0,"#, from: before)
  }

  @Test("when the hub was away it says so, watches go on, and ephemeral values have ended")
  func reconnects() throws {
    let talk = try Talk(control)
    try talk.say(#"{"id": "w", "op": "watch", "names": ["a", "e"]}"#)
    _ = try talk.ask(#""op": "set", "name": "a", "value": 1"#)
    _ = try talk.ask(#""op": "set", "name": "e", "value": 1, "ephemeral": true"#)
    try talk.line(with: #"{"watch":"w","name":"e","value":1"#)
    let before = talk.process.standardOutput.split(separator: "\n").count
    try bench.replaceHub()
    try talk.line(with: #"{"kind":"closed","#, from: before)
    try talk.line(with: #"{"kind":"open","pipe":1,"#, from: before)
    try talk.line(with: #"{"watch":"w","revision":0,"kind":"reset","epoch":""#, from: before)
    try talk.line(with: #"{"watch":"w","name":"e","value":null,"#, from: before)
    _ = try talk.ask(#""op": "set", "name": "a", "value": 2"#)
    try talk.line(with: #"{"watch":"w","name":"a","value":2"#, from: before)
    #expect(talk.process.standardError.isEmpty)
  }

  @Test("an ephemeral value ends with the program")
  func ephemeral() throws {
    do {
      let talk = try Talk(control)
      _ = try talk.ask(#""op": "set", "name": "e", "value": 1, "ephemeral": true"#)
      #expect(try control.run("get", "e").output == "1\n")
      talk.process.kill()
    }
    #expect(try control.run("wait", "e", "absent", "--timeout", "20").status == 0)
  }

  // MARK: Examples

  @Test(
    "the example in each language counts its visit and follows the others'",
    arguments: [
      ("python3", "visits.py"), ("node", "visits.js"), ("perl", "visits.pl"), ("lua5.4", "visits.lua"),
      ("bash", "visits.sh"),
    ])
  func example(interpreter: String, file: String) throws {
    guard try control.has(interpreter: interpreter, for: "Examples/pipe/\(file)") else { return }
    let example = try control.startShell("exec \(interpreter) \(checkout)/Examples/pipe/\(file)")
    _ = try example.lines(2)
    #expect(Set(try example.lines(2)) == ["visitor 1", "visits 1"], "\(example.standardError)")
    for _ in 0..<2 { try control.perform("add", "visits") }
    #expect(try example.status() == 0)
    #expect(example.standardOutput.hasSuffix("visits 2\nvisits 3\n"))
    #expect(example.standardError.isEmpty)
  }

  @Test("the example in Node counts beyond the integers that JavaScript's numbers hold")
  func exactExample() throws {
    guard try control.has(interpreter: "node", for: "visits.js") else { return }
    try control.perform("set", "visits", "9007199254740993")
    let example = try control.startShell("exec node '\(checkout)/Examples/pipe/visits.js'")
    #expect(Set(try example.lines(2)) == ["visitor 9007199254740994", "visits 9007199254740994"])
    #expect(try example.status() == 0)
  }
}
