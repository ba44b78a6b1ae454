// get, set, add, toggle, reset, create, remove: what they print, and with which status they end.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl reads and writes", .blocking)
final class StatectlReadWriteTests: BenchSuite {
  @Test("set prints nothing, get prints the value and a newline")
  func setAndGet() throws {
    try expect(control.run("set", "a", "5"), "")
    try expect(control.run("get", "a"), "5\n")
    try expect(control.run("set", "a", "-7"), "")
    try expect(control.run("get", "a"), "-7\n")
    try expect(control.run("set", "text", "two words"), "")
    try expect(control.run("get", "text"), "two words\n")
    try expect(control.run("set", "empty", ""), "")
    try expect(control.run("get", "empty"), "\n")
  }

  @Test(
    "get of several stores prints name, tab and value, and status 4 if one is missing, with the others printed"
  )
  func several() throws {
    try control.perform("set", "a", "1")
    try control.perform("set", "b", "x\ty\nz")
    try expect(control.run("get", "b", "a"), "b\tx\\ty\\nz\na\t1\n")
    try expect(
      control.run("get", "a", "nope", "b"), "a\t1\nb\tx\\ty\\nz\n", status: 4,
      errors: "statectl: nope: there is no such store: set or create it first\n")
  }

  @Test("a missing store is status 4 and nothing on standard output, with --default that value")
  func missing() throws {
    try expect(
      control.run("get", "nope"), "", status: 4,
      errors: "statectl: nope: there is no such store: set or create it first\n")
    try expect(control.run("get", "nope", "--default", "-5"), "-5\n")
    try expect(control.run("get", "nope", "--default", ""), "\n")
    try control.perform("set", "a", "1")
    try expect(control.run("get", "a", "nope", "--default", "x"), "a\t1\nnope\tx\n")
    for verb in ["add", "toggle", "reset", "describe", "remove"] {
      #expect(try control.run(verb, "nope").status == 4, "\(verb)")
    }
  }

  @Test("get is raw when its output is not a terminal: text as it is, data without a newline")
  func raw() throws {
    try control.perform("set", "a", "x\u{1B}[31m\ny")
    try expect(control.run("get", "a"), "x\u{1B}[31m\ny\n")
    let bytes = try control.shell(
      "printf '\\377\\000\\001' | statectl set d - --type data; statectl get d | od -An -tx1")
    expect(bytes, " ff 00 01\n")
  }

  @Test("to a terminal control characters are escaped, and data too")
  func terminal() throws {
    try control.perform("set", "a", "x\u{1B}[31my")
    let terminal = try PseudoTerminal()
    let text = try control.startShell("statectl get a > \(terminal.path)")
    #expect(try text.status() == 0)
    #expect(try terminal.line() == #"x\u001b[31my"#)
    try control.perform("set", "d", "--type", "data", "a\u{1B}ä")
    let data = try control.startShell("statectl get d > \(terminal.path)")
    #expect(try data.status() == 0)
    #expect(try terminal.line() == #"a\u001bä"#)
  }

  @Test("what get prints set reads back from standard input, of every type")
  func roundTrip() throws {
    try control.perform("set", "text", "a\n\nb\n")
    try control.perform("set", "json", #"{"a": [1, 2.5, null]}"#)
    try control.perform("set", "number", "-0.125")
    try control.perform("set", "flag", "true")
    for name in ["text", "json", "number", "flag"] {
      let copied = try control.shell("statectl get \(name) | statectl set \(name).copy -")
      expect(copied, "")
      #expect(try control.run("get", "\(name).copy").output == control.run("get", name).output)
      #expect(try type(of: "\(name).copy") == type(of: name))
    }
  }

  private func type(of store: String) throws -> String {
    let lines = try control.run("describe", store).output.split(separator: "\n")
    return String(lines.first { $0.hasPrefix("type:") }?.dropFirst("type:".count).drop { $0 == " " } ?? "")
  }

  @Test(
    "a new store gets the type that its value has by JSON's grammar",
    arguments: [
      ("5", "integer"), ("-5", "integer"), ("5.0", "double"), ("1e3", "double"),
      ("9223372036854775808", "string"), ("true", "boolean"), (#"{"a":1}"#, "json"), ("[1]", "json"),
      ("null", "string"), ("hello", "string"), ("", "string"), ("05", "string"),
    ])
  func inference(value: String, expected: String) throws {
    try expect(control.run("set", "new", value), "")
    #expect(try type(of: "new") == expected)
    #expect(try control.run("set", "typed", value, "--type", "string").status == 0)
    #expect(try type(of: "typed") == "string")
  }

  @Test("a value for a store that exists is read as the store's type")
  func storesType() throws {
    for (type, value, shown) in [
      ("string", "5", "5"), ("string", "true", "true"), ("string", "{}", "{}"), ("double", "5", "5.0"),
      ("double", "9007199254740993", "9007199254740992.0"), ("json", "5", "5"), ("json", "\"x\"", "\"x\""),
      ("data", "5", "5"), ("integer", "7", "7"), ("boolean", "true", "true"),
    ] {
      #expect(try control.run("create", "\(type).store", "--type", type).status == 0)
      try expect(control.run("set", "\(type).store", value), "")
      let output = try control.run("get", "\(type).store").output
      #expect(output == shown + (type == "data" ? "" : "\n"), "\(type) \(value)")
      #expect(try self.type(of: "\(type).store") == type)
    }
  }

  @Test("what a store's type or rules refuse is status 6")
  func refused() throws {
    try control.perform("create", "n", "--type", "integer", "--minimum", "-10", "--maximum", "10")
    for value in ["abc", "5.5", "true", "99999999999999999999", "11", "-11"] {
      let result = try control.run("set", "n", value)
      #expect(result.status == 6, "\(value)")
      #expect(result.errors.hasPrefix("statectl: n: "), "\(value)")
      #expect(result.errors.hasSuffix("\n") && result.errors.split(separator: "\n").count == 1)
      #expect(result.output.isEmpty)
    }
    try expect(control.run("set", "n", "-10"), "")
    try control.perform("set", "j", "[1]")
    #expect(try control.run("set", "j", "[1").status == 6)
    #expect(try control.run("set", "n", "5", "--type", "string").status == 6)
    #expect(try control.run("set", "s", "--type", "string", "--", "-x").status == 0)
    let bytes = try control.shell("printf '\\377' | statectl set s -")
    #expect(bytes.status == 6)
    expect(
      try control.run("set", "a..b", "5"), "", status: 6,
      errors: "statectl: a..b: a name cannot have an empty component: check the dots\n")
    #expect(try control.run("add", "a.*").errors.contains("get, list, remove and watch take globs"))
    #expect(try control.run("list", "a*").status == 6)
    #expect(try control.run("watch", "a.**b").status == 6)
  }

  @Test("a conditional set that fails is status 5 and changes nothing")
  func conditions() throws {
    try control.perform("set", "a", "1")
    let revision = String(try control.run("get", "a", "--show-revision").output.split(separator: "\t")[0])
    #expect(try control.run("set", "a", "9", "--if-revision", "0").status == 5)
    #expect(try control.run("set", "a", "9", "--if-absent").status == 5)
    #expect(try control.run("set", "a", "9", "--if-value", "2").status == 5)
    try expect(control.run("get", "a"), "1\n")
    #expect(try control.run("set", "a", "2", "--if-revision", revision).status == 0)
    #expect(try control.run("set", "a", "3", "--if-revision", revision).status == 5)
    #expect(try control.run("set", "a", "3", "--if-value", "2").status == 0)
    #expect(try control.run("set", "b", "1", "--if-absent").status == 0)
    #expect(try control.run("set", "c", "1", "--if-revision", "0").status == 0)
    #expect(try control.run("remove", "a", "--if-revision", revision).status == 5)
    try expect(control.run("get", "a", "b", "c"), "a\t3\nb\t1\nc\t1\n")
  }

  @Test("the values of conditions are typed by the store as well")
  func typedConditions() throws {
    try control.perform("create", "s", "--type", "string", "--initial", "5")
    try expect(control.run("set", "s", "6", "--if-value", "5"), "")
    try expect(control.run("get", "s"), "6\n")
    try control.perform("create", "d", "--type", "double", "--initial", "5")
    try expect(control.run("set", "d", "6", "--if-value", "5"), "")
    #expect(try control.run("set", "d", "7", "--if-value", "5").status == 5)
    try expect(control.run("get", "d"), "6.0\n")
  }

  @Test("--show-revision prints the revision in front of the value, and of a set alone")
  func revisions() throws {
    let set = try control.run("set", "a", "1", "--show-revision").output
    #expect(try control.run("get", "a", "--show-revision").output == set.dropLast() + "\t1\n")
    let sum = try control.run("add", "a", "--show-revision").output
    #expect(sum.hasSuffix("\t2\n"))
    #expect(try control.run("get", "a", "a", "--show-revision").output == "a\t\(sum)a\t\(sum)")
  }

  @Test("add prints the sum, toggle and reset the new value; --clamp stops at the bound")
  func arithmetic() throws {
    try control.perform(
      "create", "n", "--type", "integer", "--minimum", "0", "--maximum", "10", "--initial", "5")
    try expect(control.run("add", "n"), "6\n")
    try expect(control.run("add", "n", "-4"), "2\n")
    #expect(try control.run("add", "n", "100").status == 6)
    #expect(try control.run("add", "n", "1.5").status == 6)
    #expect(try control.run("add", "n", "x").status == 6)
    try expect(control.run("get", "n"), "2\n")
    try expect(control.run("add", "n", "100", "--clamp"), "10\n")
    try expect(control.run("add", "--clamp", "n", "-100"), "0\n")
    try expect(control.run("reset", "n"), "5\n")
    try control.perform("create", "d", "--type", "double")
    try expect(control.run("add", "d", "1"), "1.0\n")
    try expect(control.run("add", "d", "-0.25"), "0.75\n")
    try control.perform("set", "b", "true")
    try expect(control.run("toggle", "b"), "false\n")
    try expect(control.run("toggle", "b"), "true\n")
    #expect(try control.run("toggle", "n").status == 6)
    #expect(try control.run("reset", "b").status == 6)
  }

  @Test("a value with a time to live ends by itself")
  func timeToLive() throws {
    let watch = try control.start("watch", "a", "--json", "-n", "2")
    try bench.hub.waitForWatches(1)
    try expect(control.run("set", "a", "1", "--ttl", "150ms"), "")
    let lines = try watch.lines(2)
    #expect(lines[0].contains(#""value":1"#))
    #expect(lines[1].contains(#""kind":"removed""#))
    #expect(try watch.status() == 0)
    try control.perform("set", "b", "1", "--ttl", "1h")
    #expect(try control.run("describe", "b").output.contains("ttl:          ends in 3599."))
    #expect(try control.run("get", "a").status == 4)
    #expect(try control.run("set", "a", "1", "--ttl", "0").status == 2)
  }

  @Test("create takes every rule of a schema, and says what is wrong with it")
  func create() throws {
    try expect(
      control.run(
        "create", "n", "--type", "integer", "--minimum", "0", "--maximum", "10", "--initial", "5",
        "--description",
        "how loud"), "")
    let description = try control.run("describe", "n").output
    for line in ["initial:      5", "minimum:      0", "maximum:      10", "description:  how loud"] {
      #expect(description.contains(line + "\n"))
    }
    // The same again is nothing, another one that the value fits is taken, one that it breaks is not.
    try expect(
      control.run(
        "create", "n", "--type", "integer", "--minimum", "0", "--maximum", "10", "--initial", "5",
        "--description",
        "how loud"), "")
    #expect(try control.run("create", "n", "--type", "integer", "--maximum", "4").status == 6)
    #expect(try control.run("create", "n", "--type", "integer", "--if-absent").status == 5)
    try expect(control.run("create", "mode", "--type", "string", "--choices", "off,eco,full"), "")
    try expect(control.run("get", "mode"), "off\n")
    #expect(try control.run("set", "mode", "on").status == 6)
    try expect(control.run("create", "text", "--type", "string", "--max-bytes", "3"), "")
    #expect(try control.run("set", "text", "abcd").status == 6)
    try expect(control.run("create", "guess", "--initial", "2.5"), "")
    #expect(try type(of: "guess") == "double")
    #expect(
      try control.run("create", "bad", "--type", "integer", "--minimum", "5", "--maximum", "1").status == 6)
    #expect(try control.run("create", "bad", "--type", "integer", "--minimum", "x").status == 6)
    #expect(try control.run("create", "bad").status == 2)
    #expect(
      try control.run("create", "bad", "--type", "int").errors
        == "statectl: there is no type 'int' (types are integer, double, boolean, string, data, json)\n")
    #expect(try control.run("create", "bad", "--type", "integer", "--durability", "never").status == 2)
  }

  @Test("remove removes, and a second time finds nothing")
  func remove() throws {
    try control.perform("set", "a", "1")
    try expect(control.run("remove", "a"), "")
    #expect(try control.run("remove", "a").status == 4)
    #expect(try control.run("get", "a").status == 4)
  }

  @Test("--json prints one object in a line, with data as base64 and JSON as itself")
  func json() throws {
    try control.perform("set", "a", "5")
    try control.perform("set", "j", "{\n \"x\": 1}")
    try control.perform("set", "d", "--type", "data", "\u{1}\u{2}")
    let lines = try control.run("get", "a", "j", "d", "--json").output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix(#"{"name":"a","value":5,"type":"integer","revision":"#))
    #expect(lines[1].hasPrefix(#"{"name":"j","value":{  "x": 1},"type":"json","revision":"#))
    #expect(lines[2].hasPrefix(#"{"name":"d","value":"AQI=","type":"data","revision":"#))
    let set = try control.run("--json", "set", "a", "6").output
    #expect(set.hasPrefix(#"{"name":"a","revision":"#))
    #expect(set.hasSuffix(#""changed":true,"durability":"volatile"}"# + "\n"))
    #expect(try control.run("--json", "set", "a", "6").output.contains(#""changed":false"#))
    #expect(try control.run("-j", "add", "a").output.hasPrefix(#"{"name":"a","value":7,"revision":"#))
  }

  @Test("an equal value changes nothing, unless --force says so")
  func force() throws {
    let first = try control.run("set", "a", "1", "--show-revision").output
    #expect(try control.run("set", "a", "1", "--show-revision").output == first)
    #expect(try control.run("set", "a", "1", "--show-revision", "--force").output != first)
  }
}
