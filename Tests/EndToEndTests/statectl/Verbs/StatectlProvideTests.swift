// Providers as real processes: a shell stands behind stores, others write, and everybody may be killed or restarted.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl provide", .blocking)
final class StatectlProvideTests: BenchSuite {
  /// Waits until a claim is in a state.
  private func wait(for claim: String = "dev", state: String) throws {
    let watch = try control.start("watch", "statehub.providers.\(claim)", "--timeout", "30s")
    defer { watch.kill() }
    var lines = 0
    while true {
      lines += 1
      if try watch.lines(lines).last?.contains("\"state\":\"\(state)\"") == true { return }
    }
  }

  @Test("the command decides by its status and its output, and the writer is told its words")
  func deciding() throws {
    let script = """
      case $STATEHUB_VALUE in
        1*) echo 42 ;;
        2*) echo "no twos" >&2; exit 1 ;;
        3*) echo "asleep" >&2; exit 75 ;;
        4*) echo four ;;
      esac
      """
    let provider = try control.start("provide", "dev.*", "--name", "dev", "--", "sh", "-c", script)
    try wait(state: "live")
    #expect(try control.run("set", "dev.x", "5").status == 0)
    #expect(try control.run("get", "dev.x").output == "5\n")
    #expect(try control.run("set", "dev.x", "10").status == 0)
    #expect(try control.run("get", "dev.x").output == "42\n")
    let refused = try control.run("set", "dev.x", "20")
    #expect(refused.status == 6 && refused.errors == "statectl: dev.x: no twos\n")
    let away = try control.run("set", "dev.x", "30")
    #expect(away.status == 12 && away.errors == "statectl: dev.x: asleep\n")
    #expect(
      try control.run("set", "dev.x", "40").errors.contains("printed something other than an integer: four"))
    #expect(try control.run("add", "dev.x", "-32").output == "42\n")
    #expect(
      try control.shell("printf 'set dev.x 5\\nset dev.y 5\\n' | statectl txn").errors.contains(
        "not transactions"))
    #expect(try control.run("set", "other", "7").status == 0)
    #expect(try control.run("remove", "dev.x").status == 0)
    #expect(try control.run("get", "dev.x").status == 4)
    provider.kill()
  }

  @Test(
    "a command that a signal ends may have acted: the outcome is unknown",
    arguments: ["echo acted >&2; kill -9 $$", "sh -c 'kill -9 $$'; exit $?"])
  func signalled(script: String) throws {
    let provider = try control.start("provide", "dev.*", "--name", "dev", "--", "sh", "-c", script)
    try wait(state: "live")
    defer { provider.kill() }
    let result = try control.run("set", "dev.x", "5")
    #expect(result.status == 13, "\(result)")
    #expect(
      result.errors == "statectl: dev.x: the provider's command was killed by signal 9: it may have acted\n")
    #expect(try control.run("get", "dev.x").status == 4)
  }

  @Test("on demand, the publishing command runs only while clients watch, as often as they come")
  func onDemand() throws {
    let directory = "cd '\(bench.directory.path)'; "
    let script =
      directory
      + "echo start >> runs; trap 'echo end >> runs; exit' TERM; echo dev.x $(wc -l < runs); echo live; "
      + "while :; do sleep 0.05; done"
    let provider = try control.start(
      "provide", "dev.*", "--name", "dev", "--on-demand", script, "--", "false")
    defer { provider.kill() }
    try wait(state: "suspended")
    #expect(try control.run("get", "dev.x").status == 4)
    for run in 0..<2 {
      let watch = try control.start("watch", "dev.x")
      try wait(state: "live")
      #expect(try control.run("get", "dev.x").output == "\(2 * run + 1)\n")
      watch.kill()
      try wait(state: "suspended")
      let log = try control.shell(
        directory + "until [ $(wc -l < runs) = \(2 * run + 2) ]; do :; done; cat runs")
      #expect(log.output == String(repeating: "start\nend\n", count: run + 1))
    }
    let both = try control.run("provide", "a", "--publish", "x", "--on-demand", "y", "--", "false")
    #expect(both.status == 2 && both.errors.contains("--publish and --on-demand cannot be combined"))
  }

  @Test("a value of any type and length goes through a command that copies its input to its output")
  func anyValue() throws {
    let provider = try control.start("provide", "dev.*", "--name", "dev", "--", "cat")
    try wait(state: "live")
    defer { provider.kill() }
    let long = String(repeating: "ab\u{1}\n\"\\", count: 100_000)
    let values: [(type: String, value: String)] = [
      ("string", ""), ("string", "two\nlines\n\n"), ("string", "\t\u{7}\u{1B}[31m\u{FEFF}"),
      ("string", "a\0b"),
      ("string", long), ("data", "\0\n\u{1}"), ("data", long), ("integer", "-9223372036854775808"),
      ("double", "0.1"), ("double", "1e300"), ("boolean", "true"),
      ("json", "{\"a\": [1.50, \"\(String(repeating: "x", count: 5000))\"]}"),
    ]
    for (index, (type, value)) in values.enumerated() {
      let input = type == "data" ? value : value + "\n"
      let set = try control.run("set", "--type", type, "dev.v\(index)", "-", input: input)
      #expect(set.status == 0, "\(type): \(set.errors)")
      #expect(
        try control.shell("statectl get dev.v\(index) | cat").output
          == (type == "double" && value == "1e300" ? "1e+300\n" : input))
    }
  }

  @Test("what a command prints is the whole value, and too much of it is refused without being kept")
  func printed() throws {
    let script = """
      case $STATEHUB_VALUE in
        1) printf 'two\nlines\n\n' ;;
        2) exec yes ;;
        3) head -c 300000 /dev/zero | tr '\\0' x ;;
        4) yes >&2 & noise=$!; sleep 0.1; kill $noise; exit 1 ;;
      esac
      """
    let provider = try control.start("provide", "dev.*", "--name", "dev", "--", "sh", "-c", script)
    try wait(state: "live")
    defer { provider.kill() }
    #expect(try control.run("set", "--type", "string", "dev.x", "1").status == 0)
    #expect(try control.run("get", "dev.x").output == "two\nlines\n\n")
    let endless = try control.run("set", "dev.x", "2")
    #expect(endless.status == 6)
    #expect(endless.errors == "statectl: dev.x: the provider's command printed more than 1048320 bytes\n")
    #expect(provider.peakResidentKilobytes < 64 << 10)
    #expect(try control.run("set", "dev.x", "3").status == 0)
    #expect(try control.run("get", "dev.x").output == String(repeating: "x", count: 300_000) + "\n")
    #expect(try control.run("set", "dev.x", "4").errors == "statectl: dev.x: y\n")
  }

  @Test(
    "one that was stopped while three writes gave up does not carry them out, and is live as soon as it answers"
  )
  func stopped() throws {
    let log = bench.directory.file("carried-out")
    let provider = try control.start(
      "provide", "dev.*", "--name", "dev", "--timeout", "200ms", "--", "sh", "-c",
      "echo $STATEHUB_VALUE >> \(log)")
    try wait(state: "live")
    provider.signal(SIGSTOP)
    for number in 1...3 { #expect(try control.run("set", "dev.x", "\(number)").status == 13) }
    try wait(state: "suspended")
    #expect(try control.run("set", "dev.x", "4").status == 12)
    provider.signal(SIGCONT)
    try wait(state: "live")
    #expect(try control.run("set", "dev.x", "5").status == 0)
    // The first was the provider's already when it was stopped, or it was not.
    #expect(["5\n", "1\n5\n"].contains(readFile(log)))
    provider.kill()
  }

  @Test("it is told the store, the operation and who asks")
  func environment() throws {
    let seen = bench.directory.file("seen")
    let script =
      "echo \"$STATEHUB_STORE $STATEHUB_OPERATION $STATEHUB_UID $STATEHUB_CLIENT ${STATEHUB_VALUE-none}\" >> \(seen)"
    let provider = try control.start("provide", "dev.**", "--name", "dev", "--", "sh", "-c", script)
    try wait(state: "live")
    try control.perform("set", "dev.a", "two words")
    try control.perform("remove", "dev.a")
    #expect(
      readFile(seen) == """
        dev.a set \(geteuid()) statectl set two words
        dev.a remove \(geteuid()) statectl remove none

        """)
    provider.kill()
  }

  @Test("what the script prints is published, and its word says whether it is live")
  func publishing() throws {
    let fifo = bench.directory.file("lines")
    try #require(mkfifo(fifo, 0o600) == 0)
    let provider = try control.start(
      "provide", "dev.**", "--name", "dev", "--publish", "cat \(fifo)", "--", "true")
    let writer = try control.startShell(
      "exec 3> \(fifo); cat >&3 <<END\ndev.a 1\ndev.b hello\nlive\nEND\ncat <&0 >&3; sleep 1000")
    try wait(state: "live")
    #expect(try control.run("get", "dev.*").output == "dev.a\t1\ndev.b\thello\n")
    writer.kill()
    // Its output has an end: there is nobody who would publish any more.
    #expect(try provider.status() == 1)
    try wait(state: "vacant")
    let refused = try control.run("set", "dev.a", "2")
    #expect(refused.status == 12 && refused.errors.contains("nothing was done"))
    #expect(try control.run("claims", "--release", "dev").status == 0)
    #expect(try control.run("set", "dev.a", "2").status == 0)
    #expect(try control.run("claims", "--release", "dev").status == 4)
  }

  @Test("a provider that is killed leaves its stores vacant; the next one waits for its turn, and takes over")
  func killed() throws {
    let first = try control.start("provide", "dev.*", "--name", "dev", "--", "true")
    try wait(state: "live")
    let refused = try control.run("provide", "dev.x", "--name", "other", "--", "true")
    #expect(refused.status == 5 && refused.errors.contains("dev provides"))
    let second = try control.start(
      "provide", "dev.*", "--name", "dev", "--wait-turn", "--", "sh", "-c", "echo 9")
    while try control.run("clients").output.matches(of: /statectl provide/).count < 2 {}
    first.kill()
    for _ in 0..<1000 where try control.run("set", "dev.x", "1").status != 0 {}
    #expect(try control.run("get", "dev.x").output == "9\n")
    second.kill()
  }

  @Test("a hub that is upgraded in the middle of a decision: neither the provider nor the writer notices")
  func upgrade() throws {
    let fifo = bench.directory.file("decision")
    try #require(mkfifo(fifo, 0o600) == 0)
    let provider = try control.start("provide", "dev.*", "--name", "dev", "--", "sh", "-c", "cat \(fifo)")
    try wait(state: "live")
    let first = try control.start("set", "dev.x", "1")
    // The command has begun once somebody reads what it reads.
    let decision = try #require(fopen(fifo, "w"))
    let second = try control.start("set", "dev.y", "1")
    while try control.run("clients").output.matches(of: /statectl set/).count < 2 {}
    try bench.upgrade()
    fputs("5\n", decision)
    fclose(decision)
    #expect(try first.status() == 0)
    let next = try #require(fopen(fifo, "w"))
    fputs("6\n", next)
    fclose(next)
    #expect(try second.status() == 0)
    #expect(try control.run("get", "dev.*").output == "dev.x\t5\ndev.y\t6\n")
    provider.kill()
  }

  @Test("a hub that is killed: the provider claims its stores again, and publishes what it had published")
  func hubKilled() throws {
    let bench = try Bench()
    let provider = try bench.control.start(
      "provide", "dev.*", "--name", "dev", "--publish", "echo dev.a 7; echo live; exec sleep 1000", "--",
      "true")
    let seen = try bench.control.start("watch", "dev.a", "--timeout", "60s")
    #expect(try seen.lines(1) == ["7"])
    try bench.replaceHub()
    // Whether the watch saw the store missing meanwhile depends on who was back first.
    while try !bench.control.run("claims").output.contains(" live ") {}
    for _ in 0..<1000 where try bench.control.run("set", "dev.b", "1").status != 0 {}
    #expect(try bench.control.run("get", "dev.*").output == "dev.a\t7\ndev.b\t1\n")
    provider.kill()
    seen.kill()
  }

  @Test(
    "after an outage a provider publishes what it has accepted since, and not what it had published before")
  func accepted() throws {
    let bench = try Bench()
    let provider = try bench.control.start(
      "provide", "dev.*", "--name", "dev", "--publish",
      "echo dev.a 7; echo dev.b 7; echo live; exec sleep 1000",
      "--", "sh", "-c", "[ $STATEHUB_VALUE -lt 9 ] || echo 9")
    defer { provider.kill() }
    func serve() throws { while try !bench.control.run("claims").output.contains(" live ") {} }
    try serve()
    try bench.control.perform("set", "dev.a", "8")
    try bench.control.perform("set", "dev.b", "20")
    try bench.replaceHub()
    try serve()
    #expect(try bench.control.run("get", "dev.*").output == "dev.a\t8\ndev.b\t9\n")
  }

  @Test("claims lists every provider, in JSON too, and a declared one is there without a process")
  func claims() throws {
    let bench = try Bench(
      configuration: "{ providers: { net: { stores: ['net.**', 'wifi.*'], description: 'the network' } } }")
    let lines = try bench.control.run("claims").output.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.count == 2 && lines[1].prefix(5).joined(separator: " ") == "net vacant - net.** wifi.*")
    #expect(
      try bench.control.run("claims", "--json").output == """
        {"name":"net","state":"vacant","reason":"its provider is not connected","stores":["net.**","wifi.*"],"description":"the network"}

        """)
    #expect(try bench.control.run("set", "wifi.on", "true").status == 12)
    #expect(try bench.control.run("set", "statehub.providers.net", "{}").status == 6)
    #expect(try bench.control.run("set", "plain", "1").status == 0)
    #expect(try bench.control.run("remove", "**", "--yes").status == 0)
    #expect(try bench.control.run("list").output == "statehub.providers.net\n")
    let dump = try bench.control.run("dump").output
    #expect(!dump.contains("statehub.providers"))
  }

  @Test(
    "a command line without --, without a command or with a wrong glob is refused before anything happens")
  func words() throws {
    for words in [
      ["provide", "a"], ["provide", "--", "true"], ["provide", "a", "true"], ["provide", "a", "--"],
    ] {
      #expect(try control.start(words).status() == 2, "\(words)")
    }
    #expect(try control.run("provide", "a*", "--", "true").status == 6)
    #expect(try control.run("claims").output.split(separator: "\n").count == 1)
  }
}
