// How statectl takes a command line apart.

import HubCore
import Testing

@testable import statectl

@Suite("statectl's command line")
struct StatectlArgumentsTests {
  private func parse(_ words: String...) throws -> CommandLineWords {
    try ArgumentParser.parse(words.map { Argument($0) })
  }

  /// The message and hint that a command line is refused with.
  private func refusal(_ words: String...) -> String? {
    do throws(Failure) {
      _ = try ArgumentParser.parse(words.map { Argument($0) })
      return nil
    } catch {
      #expect(error.status == 2)
      return error.message
    }
  }

  @Test("options may stand before, between and after the operands")
  func anywhere() throws {
    for words in [
      ["--if-absent", "set", "a", "1"], ["set", "--if-absent", "a", "1"], ["set", "a", "1", "--if-absent"],
    ] {
      let parsed = try ArgumentParser.parse(words.map { Argument($0) })
      #expect(parsed.verb == .set)
      #expect(parsed.operands == ["a", "1"])
      #expect(parsed.has(.ifAbsent))
    }
  }

  @Test("every option of a store can be given to create")
  func schemaOptions() {
    for field in SchemaField.all {
      let option = Option(name: field.label)
      #expect(option.map { Option.schema.contains($0) } == true, "--\(field.label)")
    }
    #expect(Array(Option.schema).count == SchemaField.all.count + 1)
  }

  @Test("a negative number is a value", arguments: ["-5", "-0.5", "-.5", "-1", "-1e9"])
  func negative(number: String) throws {
    #expect(try parse("set", "a", number).operands == ["a", Argument(number)])
    #expect(try parse("add", number, "--clamp", "a").operands == [Argument(number), "a"])
    #expect(try parse("wait", "a", "gt", number).operands.last == Argument(number))
    #expect(try parse("get", "--default", number, "a").text(.default) == number)
    #expect(try parse("create", "a", "--type=integer", "--minimum", number).text(.minimum) == number)
  }

  @Test("-1 of watch is an option, and only of watch")
  func once() throws {
    let watch = try parse("watch", "-1", "a")
    #expect(watch.has(.once) && watch.operands == ["a"])
    #expect(try parse("add", "a", "-1").operands == ["a", "-1"])
    #expect(try parse("-1", "watch", "a").has(.once))
  }

  @Test("short options may stand before the verb, as long ones do")
  func early() throws {
    let watch = try parse("-n", "5", "watch", "a")
    #expect(watch.text(.lines) == "5" && watch.operands == ["a"])
    #expect(try parse("-jn5", "watch", "a").text(.lines) == "5")
    #expect(refusal("-n", "5", "get", "a") == "get does not take --lines (see statectl help get)")
    #expect(refusal("get", "a", "-n", "5") == "get does not take --lines (see statectl help get)")
    #expect(refusal("-1", "add", "a", "2") == "add does not take --once (see statectl help add)")
    #expect(refusal("-5", "add", "a") == "there is no verb '-5' (see statectl --help)")
  }

  @Test("an option's argument may be attached, or be the next word, whatever that is")
  func arguments() throws {
    #expect(try parse("watch", "a", "-n", "5").text(.lines) == "5")
    #expect(try parse("watch", "a", "-n5").text(.lines) == "5")
    #expect(try parse("watch", "a", "-jn5").has(.json))
    #expect(try parse("watch", "a", "--lines=5").text(.lines) == "5")
    #expect(try parse("get", "a", "--default=").text(.default) == "")
    #expect(try parse("get", "a", "--default", "--show-revision").text(.default) == "--show-revision")
    #expect(try parse("get", "a", "--default=x=y").text(.default) == "x=y")
  }

  @Test("after -- everything is an operand")
  func end() throws {
    #expect(try parse("set", "--", "a", "--ttl").operands == ["a", "--ttl"])
    let literal = try parse("set", "a", "--", "-")
    #expect(literal.operands == ["a", "-"] && literal.firstLiteral == 1)
    #expect(try parse("set", "a", "-").firstLiteral == .max)
    #expect(try parse("--", "set", "a", "-").firstLiteral == 0)
  }

  @Test("the process's arguments are found")
  func vector() { #expect(Argument.process() == CommandLine.arguments.dropFirst().map { Argument($0) }) }

  @Test("--exec takes the rest of the line")
  func exec() throws {
    let words = try parse("watch", "a", "--json", "--exec", "echo", "--json", "-n", "3")
    #expect(words.command == ["echo", "--json", "-n", "3"])
    #expect(!words.has(.lines))
    #expect(try parse("watch", "a", "--exec", "--", "echo").command == ["echo"])
    #expect(try parse("watch", "a", "--exec=echo", "x").command == ["echo", "x"])
    #expect(refusal("watch", "a", "--exec")?.hasPrefix("--exec takes a command") == true)
  }

  @Test("of an option that is given twice the last counts, but choices add up")
  func repeated() throws {
    let words = try parse(
      "create", "a", "--minimum", "1", "--choices", "1,2", "--minimum", "2", "--choices=3")
    #expect(words.text(.minimum) == "2")
    #expect(words.arguments(.choices) == ["1,2", "3"])
  }

  @Test("an unknown verb is refused, with the nearest one")
  func unknownVerb() {
    #expect(refusal("wacth", "a") == "there is no verb 'wacth' (did you mean watch?)")
    #expect(refusal("frobnicate") == "there is no verb 'frobnicate' (see statectl --help)")
    #expect(refusal() == "a verb is missing (see statectl --help)")
  }

  @Test(
    "what other programs call a verb is refused, with what it is called here",
    arguments: [
      ("rm", "remove"), ("del", "remove"), ("delete", "remove"), ("ls", "list"), ("incr", "add"),
      ("put", "set"),
      ("version", "--version"), ("subscribe", "watch"), ("info", "describe"),
    ])
  func usualNames(name: String, verb: String) {
    #expect(refusal(name, "a") == "there is no verb '\(name)' (did you mean \(verb)?)")
  }

  @Test("an unknown option is refused, with the nearest one that the verb takes")
  func unknownOption() {
    #expect(
      refusal("watch", "a", "--chnages-only")
        == "there is no option --chnages-only (did you mean --changes-only?)")
    #expect(
      refusal("--chnages-only", "watch", "a")
        == "there is no option --chnages-only (did you mean --changes-only?)")
    #expect(
      refusal("create", "a", "--min", "1") == "there is no option --min (did you mean --minimum?)")
    #expect(
      refusal("set", "a", "-x") == "there is no option -x (after -- it is a value; see statectl help set)")
    #expect(refusal("get", "a", "--ttl", "5") == "get does not take --ttl (see statectl help get)")
    #expect(
      refusal("get", "a", "--show-revision=5") == "--show-revision takes no argument (see statectl help get)")
    #expect(refusal("get", "a", "--default") == "--default takes an argument, V (see statectl help get)")
  }

  @Test("operands are counted")
  func operandCount() {
    #expect(
      refusal("set", "a") == "too few operands for set (usage: \(Help.synopsis(of: .set)))")
    #expect(refusal("toggle", "a", "b")?.hasPrefix("too many operands for toggle") == true)
    #expect(refusal("get")?.hasPrefix("too few") == true)
  }

  @Test("options that contradict each other are refused")
  func contradictions() {
    #expect(refusal("--user", "--system", "ping") == "--user and --system cannot be combined")
    #expect(refusal("watch", "a", "-1", "-n", "2") == "--lines and --once cannot be combined")
    #expect(refusal("watch", "a", "--markers") == "--markers needs --json")
    #expect(refusal("watch", "a", "--exec-fail", "stop") == "--exec-fail needs --exec")
  }

  @Test("every option of every verb can be given to it, and is explained in its help")
  func helpIsComplete() throws {
    for verb in Verb.all {
      let help = Help.text(for: verb)
      for option in verb.options { #expect(help.contains("--\(option.name)"), "\(verb.name) \(option)") }
      #expect(help.contains("Usage: statectl \(verb.name)"))
      #expect(Help.overview.contains("  \(verb.name) "))
    }
    for option in Option.global { #expect(Help.overview.contains("--\(option.name)")) }
  }

  @Test("every verb and every option is found by its name, and has a place in a set")
  func names() {
    let names = Verb.all.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names { #expect(Verb.named(name)?.name == name) }
    for option in Option.allCases {
      #expect(Option(name: option.name) == option)
      #expect(Array(Options([option])) == [option])
    }
    #expect(Verb.named("") == nil)
    #expect(Option(name: "no-such-option") == nil)
    #expect(Option.allCases.count <= 128)
    #expect(
      Array(Options([.help, .showRevision]).union(Options([.socket, .showRevision]))) == [
        .socket, .help, .showRevision,
      ])
  }

  @Test("a verb takes as many operands as its usage line shows")
  func operandCounts() {
    for verb in Verb.all {
      // What follows is the shell's; what ends the options is no operand.
      let shown = verb.operands.split(separator: " ").prefix { !["<", ">"].contains($0) }.filter {
        $0 != "--"
      }
      let least = shown.count { !$0.hasPrefix("[") && !$0.contains("]") }
      let most = shown.contains { $0.contains("...") } ? Int.max : shown.count
      #expect(verb.operandCount == least...most, "\(verb.name) \(verb.operands)")
    }
  }

  @Test("the help of txn names the verbs that can be its lines")
  func linesOfTransactions() {
    let named = VerbSpec.txn.details.split { !$0.isLetter }.map(String.init)
    for verb in Verb.all { #expect(named.contains(verb.name) == verb.isWrite, "\(verb.name)") }
  }

  @Test("every example of the help is a command line that is accepted")
  func examplesParse() throws {
    for verb in Verb.all where verb != .txn {
      #expect(!verb.examples.isEmpty)
      for example in verb.examples {
        let line = example.split(separator: " < ")[0]
        let words = try ScriptWords.split(Array(line.utf8)[...])
        #expect(try ArgumentParser.parse(words).verb == verb, "\(example)")
      }
    }
  }
}
