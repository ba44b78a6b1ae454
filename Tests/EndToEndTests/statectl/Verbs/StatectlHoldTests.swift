// statectl hold: how long the value lives, whatever ends first.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl hold", .blocking)
final class StatectlHoldTests: BenchSuite {
  /// Says its number and stays until it is killed, for half a minute at most.
  private static let stays = ["sh", "-c", "echo $$; exec sleep 3600"]

  private func hold(_ words: String...) throws -> (holder: ChildProcess, command: Int32) {
    let holder = try control.start(["hold"] + words + ["--"] + Self.stays)
    let line = try holder.lines(1)[0]
    return (holder, try #require(Int32(line)))
  }

  @Test("the value is there while the command runs, and gone when it has ended, with its status")
  func life() throws {
    let result = try control.run("hold", "a", "5", "--", "sh", "-c", "statectl get a; exit 7")
    #expect(result == Control.Result(status: 7, output: "5\n", errors: ""))
    #expect(try control.run("get", "a").status == 4)
    #expect(try control.run("hold", "a", "5", "--", "sh", "-c", "kill -9 $$").status == 137)
  }

  @Test("what the command leaves behind does not keep the value")
  func leftovers() throws {
    let result = try control.run("hold", "a", "5", "--", "sh", "-c", "sleep 30 > /dev/null 2>&1 & echo $!")
    #expect(result.status == 0)
    #expect(try control.run("get", "a").status == 4)
    kill(try #require(Int32(result.output.dropLast())), SIGKILL)
  }

  @Test("a store with an initial value returns to it, and its type decides what the value means")
  func initial() throws {
    try control.perform("create", "mode", "--type", "string", "--initial", "off")
    let (holder, command) = try hold("mode", "5")
    #expect(try control.run("get", "mode", "--json").output.contains(#""value":"5","type":"string""#))
    kill(command, SIGTERM)
    #expect(try holder.status() == 143)
    #expect(try control.run("get", "mode").output == "off\n")
    #expect(try control.run("hold", "a", "--type", "data", "5", "--", "true").status == 0)
    let wrong = try control.run("hold", "mode", "--type", "integer", "5", "--", "echo", "ran")
    #expect(wrong.status == 6 && wrong.output.isEmpty)
  }

  @Test("after a restart of the hub it is set again, and the command notices nothing")
  func restart() throws {
    let (holder, command) = try hold("a", "x y")
    try bench.replaceHub()
    #expect(try control.run("wait", "a", "eq", "x y", "--timeout", "20").status == 0)
    kill(command, SIGTERM)
    #expect(try holder.status() == 143)
    #expect(holder.standardError.isEmpty)
    #expect(try control.run("get", "a").status == 4)
  }

  @Test("a hub that stays away does not end the command, and its status is passed on")
  func away() throws {
    let (holder, command) = try hold("a", "5")
    bench.hub.kill()
    #expect(holder.poll(milliseconds: 300) == nil)
    kill(command, SIGUSR1)
    #expect(try holder.status() == 128 + SIGUSR1)
  }

  @Test("if only statectl is killed the value lives as long as the command")
  func killed() throws {
    let (holder, command) = try hold("a", "5")
    holder.kill()
    #expect(try control.run("wait", "a", "absent", "--timeout", "100ms").status == 124)
    kill(command, SIGKILL)
    #expect(try control.run("wait", "a", "absent", "--timeout", "20").status == 0)
  }

  @Test("another client's value stays")
  func overwritten() throws {
    let (holder, command) = try hold("a", "5")
    try control.perform("set", "a", "6")
    kill(command, SIGTERM)
    #expect(try holder.status() == 143)
    #expect(try control.run("get", "a").output == "6\n")
  }

  @Test("what another program has set is not set over when the hub was away")
  func overwrittenWhileAway() throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--state-dir", directory.file("state")]
    var hub = try HubProcess(in: directory, arguments: arguments)
    let control = Control(directory: directory, socket: hub.socket)
    try control.perform("create", "mode", "--initial", "off")
    let holders = try [("a", "5"), ("b", "5"), ("mode", "on"), ("own", "5")].map { name, value in
      try control.start("hold", name, value, "--", "sh", "-c", "echo ready; exec sleep 3600")
    }
    for holder in holders { _ = try holder.lines(1) }
    try control.perform("set", "a", "6")
    for holder in holders { holder.signal(SIGSTOP) }
    hub.kill()
    hub = try HubProcess(in: directory, arguments: arguments)
    defer { hub.kill() }
    try control.perform("set", "b", "7")
    try control.perform("set", "mode", "eco")
    for holder in holders { holder.signal(SIGCONT) }
    #expect(try control.run("wait", "own", "eq", "5", "--timeout", "20").status == 0)
    for (holder, name) in zip(holders, ["a", "b", "mode"]) {
      let told = "statectl: \(name): another program has set it, and that value is kept\n"
      for _ in 0..<longestLooks where holder.standardError != told { _ = holder.poll(milliseconds: 2) }
      #expect(holder.standardError == told)
      holder.signal(SIGTERM)
      #expect(try holder.status() == 143)
    }
    #expect(try control.run("get", "a", "b", "mode").output == "a\t6\nb\t7\nmode\teco\n")
  }

  @Test("a store that returns to its initial value is held again when the hub was away")
  func initialAgain() throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--state-dir", directory.file("state")]
    var hub = try HubProcess(in: directory, arguments: arguments)
    let control = Control(directory: directory, socket: hub.socket)
    try control.perform("create", "mode", "--initial", "off")
    let holder = try control.start("hold", "mode", "on", "--", "sh", "-c", "echo ready; exec sleep 3600")
    _ = try holder.lines(1)
    hub.kill()
    hub = try HubProcess(in: directory, arguments: arguments)
    defer { hub.kill() }
    #expect(try control.run("wait", "mode", "eq", "on", "--timeout", "20").status == 0)
    holder.signal(SIGTERM)
    #expect(try holder.status() == 143)
    #expect(try control.run("get", "mode").output == "off\n")
    #expect(holder.standardError.isEmpty)
  }

  @Test(
    "a value that is kept is not replaced by one that ends, on the command line, in a transaction and in pipe"
  )
  func kept() throws {
    let error =
      "cam: it has a persistent value, false, and would lose it: give the store an initial value to return to "
      + "(create cam --type boolean --initial VALUE), or remove it first\n"
    try control.perform("set", "cam", "false")
    for words in [
      ["hold", "cam", "true", "--", "echo", "ran"], ["hold", "cam", "false", "--", "echo", "ran"],
      ["set", "cam", "true", "--ttl", "1h"], ["set", "other", "1", "cam", "true", "--ttl", "1h"],
    ] {
      let refused = try control.start(words)
      #expect(try refused.status() == 5, "\(words)")
      #expect(refused.standardError == "statectl: " + error, "\(words)")
      #expect(refused.standardOutput.isEmpty)
    }
    #expect(try control.run("txn", input: "set cam true --ttl 1h\n").errors == "statectl: line 1: " + error)
    for lifetime in [#""ttl":60"#, #""ephemeral":true"#] {
      let one = try control.run("pipe", input: #"{"op":"set","name":"cam","value":true,\#(lifetime)}"# + "\n")
      #expect(one.output.contains(#""code":"conflict""#) && one.output.contains("persistent value, false"))
      let several = try control.run(
        "pipe", input: #"{"op":"txn","ops":[{"op":"set","name":"cam","value":true,\#(lifetime)}]}"# + "\n")
      #expect(several.output.contains("persistent value, false"))
    }
    #expect(try control.run("get", "cam", "--json").output.contains(#""value":false"#))
    #expect(try control.run("get", "other").status == 4)
  }

  @Test("one that ends may replace another that ends, the initial value, and nothing")
  func mayBeReplaced() throws {
    for words in [
      ["set", "fresh", "1", "--ttl", "1h"], ["set", "fresh", "2", "--ttl", "1h"],
      ["hold", "fresh", "3", "--", "true"],
      ["set", "fresh", "4", "--ttl", "1h", "--if-absent"], ["create", "mode", "--initial", "off"],
      ["set", "mode", "eco"], ["hold", "mode", "on", "--", "true"], ["set", "mode", "on", "--ttl", "1h"],
    ] {
      #expect(try control.start(words).status() == 0, "\(words)")
    }
    try control.perform("set", "cam", "false")
    #expect(try control.run("txn", input: "remove cam\nset cam true --ttl 1h\n").status == 0)
    #expect(try control.run("set", "cam", "true", "--ttl", "2h", "--if-value", "false").status == 5)
  }

  @Test("signals are passed on", arguments: [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])
  func signals(signal: Int32) throws {
    let script = "trap 'echo got; exit 3' \(signal); echo ready; while :; do sleep 0.01; done"
    let holder = try control.start("hold", "a", "5", "--", "sh", "-c", script)
    _ = try holder.lines(1)
    holder.signal(signal)
    #expect(try holder.status() == 3)
    #expect(holder.standardOutput == "ready\ngot\n")
  }

  @Test("what a terminal sends for a key reaches the command once")
  func keys() throws {
    let stop = bench.directory.file("stop")
    let script = """
      trap 'echo got' INT; echo ready; while [ ! -e \(stop) ]; do sleep 0.01; done; echo end
      """
    let program = try bench.directory.write(script, to: "command.sh")
    let terminal = try PseudoTerminal()
    // Its own session, so that the terminal is its controlling one, without a program in between.
    let holder = try ChildProcess(
      "/usr/bin/setsid",
      ["--ctty", "--wait", ChildProcess.built("statectl"), "hold", "a", "5", "--", "sh", program],
      environment: ["STATEHUB_SOCKET": control.socket], input: terminal.path, directory: bench.directory)
    #expect(try holder.lines(1) == ["ready"])
    // The command has seen to the first signal before a second one could come: two at once are one.
    holder.signal(SIGSTOP)
    try terminal.type("\u{3}")
    #expect(try holder.lines(2) == ["ready", "got"])
    holder.signal(SIGCONT)
    // The command looks for the file only when it has seen to all signals that were sent before.
    #expect(holder.poll(milliseconds: 100) == nil)
    try bench.directory.write("", to: "stop")
    let status = try holder.status()
    #expect(status == 0, "\(holder.standardError)")
    #expect(holder.standardOutput == "ready\ngot\nend\n")
  }

  @Test("a command that cannot be started is status 127 or 126, and leaves no value")
  func missing() throws {
    let missing = try control.run("hold", "a", "5", "--", "/no/such/command")
    #expect(missing.status == 127)
    #expect(missing.errors == "statectl: cannot start /no/such/command: No such file or directory\n")
    #expect(try control.run("hold", "a", "5", "--", "/").status == 126)
    #expect(try control.run("wait", "a", "absent", "--timeout", "20").status == 0)
  }

  @Test("the command stands behind --")
  func usage() throws {
    let result = try control.run("hold", "a", "5", "true")
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("statectl: put the command after -- (usage: statectl hold "))
    #expect(try control.run("hold", "a", "5", "--").status == 2)
  }
}
