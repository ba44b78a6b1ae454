// statectl lock: one holder at a time, numbers that grow, and who is told what when something dies.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl lock", .blocking)
struct StatectlLockTests {
  private let directory: TemporaryDirectory
  private let control: Control

  init() throws {
    directory = try TemporaryDirectory()
    control = Control(directory: directory, socket: directory.file("hub.sock"))
  }

  /// A hub that keeps its values, so that a killed one is followed by one that knows them.
  private func startHub(volatile: Bool = false) throws -> HubProcess {
    try HubProcess(
      in: directory, arguments: volatile ? ["--volatile"] : ["--state-dir", directory.file("state")])
  }

  /// Says its lock's number and its own, and stays until it is killed, for half a minute at most.
  private static let stays = ["sh", "-c", "echo $STATEHUB_FENCE $$; exec sleep 3600"]

  /// A lock that is held.
  private func lock(
    _ words: String..., command: [String] = stays
  ) throws -> (holder: ChildProcess, fence: Int, command: Int32) {
    let holder = try control.start(["lock"] + words + ["--"] + command)
    let numbers = try holder.lines(1)[0].split(separator: " ")
    return (holder, try #require(Int(numbers[0])), try #require(Int32(numbers[1])))
  }

  @Test("on a disk that takes nothing a lock, whose number must be stored, is refused; hold needs no disk")
  func fullDisk() throws {
    let script = try directory.write(
      "#!/bin/sh\nulimit -f 0\nexec '\(ChildProcess.built("statehub"))' \"$@\"\n", to: "limited")
    chmod(script, 0o700)
    let hub = try HubProcess(script, in: directory, arguments: ["--state-dir", directory.file("state")])
    defer { hub.kill() }
    #expect(try control.run("hold", "h", "true", "--", "true").status == 0)
    for verb in ["lock", "elect"] {
      let result = try control.run(verb, "l", "--", "true")
      #expect(result.status == 1 && result.errors.contains("l.fence: the hub cannot write"), "\(result)")
    }
  }

  @Test("who may make no more stores is told so at once", arguments: ["lock", "elect"])
  func quota(verb: String) throws {
    try directory.write(
      "{ maxUserStores: 1, sockets: { few: { path: \"\(directory.file("few.sock"))\", as: \"user:daemon\" } } }",
      to: "hub.json5")
    let hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    defer { hub.kill() }
    _ = try hub.connect()
    let few = Control(directory: directory, socket: directory.file("few.sock"))
    try few.perform("set", "a", "1")
    let result = try few.run(verb, "l", "--", "true")
    #expect(result.status == 8 && result.errors.contains("maxUserStores"), "\(result)")
  }

  @Test("a signal ends it at once, also while the hub does not answer", arguments: ["lock", "elect"])
  func silence(verb: String) throws {
    let hub = try PlayedHub(at: directory.file("silent.sock"))
    let waiter = try ChildProcess(
      ChildProcess.built("statectl"), ["--socket", hub.path, "--timeout", "10m", verb, "l", "--", "true"],
      directory: directory)
    // Until it waits for the hub, the signal has its ordinary effect: the status is the same.
    waiter.signal(SIGTERM)
    #expect(try waiter.status() == 128 + SIGTERM)
  }

  @Test("--wait bounds the time with a hub that does not answer, too")
  func silentWait() throws {
    let hub = try PlayedHub(at: directory.file("silent.sock"))
    let start = ContinuousClock.now
    let waiter = try ChildProcess(
      ChildProcess.built("statectl"),
      ["--socket", hub.path, "--timeout", "10m", "lock", "l", "--wait", "1s", "--", "true"],
      directory: directory)
    #expect(try waiter.status() == 124)
    #expect(ContinuousClock.now - start < .seconds(60), "ten minutes without the bound")
  }

  @Test("it runs the command, frees the lock, and passes the status on")
  func alone() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let script = #"echo "$STATEHUB_LOCK $STATEHUB_FENCE"; statectl get --show-revision a; exit 7"#
    let result = try control.run("lock", "a", "--", "sh", "-c", script)
    let number = try #require(Int(result.output.split(separator: "\n")[0].dropFirst(2)))
    #expect(result.status == 7)
    #expect(result.output.hasPrefix("a \(number)\n\(number)\tpid "))
    #expect(result.output.hasSuffix(", sh\n"))
    #expect(try control.run("list").output == "a.fence\n")
    #expect(try control.run("get", "--show-revision", "a.fence").output.hasPrefix("\(number)\t"))
  }

  @Test("a second one waits, and gets a greater number")
  func two() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let first = try lock("a")
    let second = try control.start(["lock", "a", "--"] + Self.stays)
    try hub.waitForWatches(2)
    #expect(second.poll(milliseconds: 100) == nil)
    #expect(second.standardOutput.isEmpty)
    kill(first.command, SIGTERM)
    #expect(try first.holder.status() == 143)
    let numbers = try second.lines(1)[0].split(separator: " ").compactMap { Int32($0) }
    #expect(numbers[0] > first.fence)
    second.signal(SIGTERM)
    #expect(try second.status() == 143)
  }

  @Test("of ten there is one at a time, with numbers that grow in the order of the holders")
  func ten() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let log = directory.file("log")
    let script =
      #"echo "begin $STATEHUB_FENCE" >> \#(log); sleep 0.01; echo "end $STATEHUB_FENCE" >> \#(log)"#
    let contenders = try (0..<10).map { _ in try control.start("lock", "a", "--", "sh", "-c", script) }
    for contender in contenders { #expect(try contender.status() == 0, "\(contender.standardError)") }
    let lines = readFile(log).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let numbers = lines.compactMap { $0[0] == "begin" ? Int($0[1]) : nil }
    #expect(numbers.count == 10)
    #expect(numbers == numbers.sorted() && Set(numbers).count == 10)
    #expect(lines == numbers.flatMap { [["begin", "\($0)"], ["end", "\($0)"]] })
  }

  @Test("--wait says how long: 0 tries once, and status 124 means that it was not free in time")
  func patience() throws {
    let hub = try startHub()
    defer { hub.kill() }
    #expect(try control.run("lock", "a", "--wait", "0", "--", "true").status == 0)
    let first = try lock("a")
    let expected = Control.Result(
      status: 124, output: "", errors: "statectl: a: timed out: another process has the lock\n")
    #expect(try control.run("lock", "a", "--wait", "0", "--", "echo", "ran") == expected)
    #expect(try control.run("lock", "a", "--wait", "100ms", "--", "echo", "ran") == expected)
    let second = try control.start("lock", "a", "--wait", "1h", "--", "echo", "ran")
    try hub.waitForWatches(2)
    kill(first.command, SIGKILL)
    #expect(try first.holder.status() == 137)
    #expect(try second.status() == 0)
  }

  @Test("one that waits ends with a signal")
  func interrupted() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let first = try lock("a")
    let second = try control.start("lock", "a", "--", "true")
    try hub.waitForWatches(2)
    second.signal(SIGINT)
    #expect(try second.status() == 130)
    first.holder.signal(SIGTERM)
    #expect(try first.holder.status() == 143)
  }

  @Test("a holder that is stopped keeps the lock")
  func stopped() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let first = try lock("a")
    first.holder.signal(SIGSTOP)
    kill(first.command, SIGSTOP)
    #expect(try control.run("lock", "a", "--wait", "200ms", "--", "true").status == 124)
    kill(first.command, SIGKILL)
    first.holder.signal(SIGCONT)
    #expect(try first.holder.status() == 137)
    #expect(try control.run("lock", "a", "--wait", "0", "--", "true").status == 0)
  }

  @Test("a store that keeps a value is not a lock, whether it was there before or takes the lock's place")
  func plainStore() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let error =
      "statectl: a: is not a lock but a store with a persistent value, 5: remove it, or use another name for the lock\n"
    try control.perform("set", "a", "5")
    for words in [
      ["lock", "a", "--wait", "0", "--", "true"], ["lock", "a", "--", "true"], ["elect", "a", "--", "true"],
    ] {
      let refused = try control.start(words)
      #expect(try refused.status() == 6)
      #expect(refused.standardError == error)
    }
    try control.perform("remove", "a")
    let first = try lock("a")
    let waiting = try control.start("lock", "a", "--", "true")
    try hub.waitForWatches(2)
    try control.perform("set", "a", "--type", "string", "5")
    #expect(try first.holder.status() == 11)
    #expect(try waiting.status() == 6)
    #expect(waiting.standardError == error)
  }

  @Test("if only statectl is killed the lock is held until the command has ended, too")
  func killed() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let first = try lock("a")
    first.holder.kill()
    #expect(try control.run("lock", "a", "--wait", "200ms", "--", "true").status == 124)
    let second = try control.start("lock", "a", "--", "echo", "ran")
    try hub.waitForWatches(2)
    kill(first.command, SIGKILL)
    #expect(try second.status() == 0)
    #expect(second.standardOutput == "ran\n")
  }

  @Test("when the hub is killed the command is told at once, and the status is 11")
  func hubKilled() throws {
    let hub = try startHub()
    let script = #"trap 'echo told; exit 0' TERM; echo "$STATEHUB_FENCE $$"; while :; do sleep 0.01; done"#
    let first = try lock("a", command: ["sh", "-c", script])
    hub.kill()
    #expect(try first.holder.status() == 11)
    #expect(first.holder.standardOutput.hasSuffix("\ntold\n"))
    #expect(first.holder.standardError == "statectl: a: the lock was lost: the connection was lost\n")
  }

  @Test("a command that does not end when it is told is killed")
  func stubborn() throws {
    let hub = try startHub()
    let script = #"trap '' TERM; echo "$STATEHUB_FENCE $$"; while :; do sleep 0.01; done"#
    let first = try lock("a", "--kill-after", "200ms", command: ["sh", "-c", script])
    hub.kill()
    #expect(first.holder.poll(milliseconds: 50) == nil)
    #expect(try first.holder.status() == 11)
    #expect(kill(first.command, 0) != 0)
  }

  @Test("with --grace it is held again after the hub's crash, with the same number")
  func grace() throws {
    var hub = try startHub()
    let first = try lock("a", "--grace", "20s")
    hub.kill()
    #expect(first.holder.poll(milliseconds: 100) == nil)
    hub = try startHub()
    defer { hub.kill() }
    #expect(try control.run("wait", "a", "exists", "--timeout", "20").status == 0)
    #expect(try control.run("get", "--show-revision", "a.fence").output.hasPrefix("\(first.fence)\t"))
    kill(first.command, SIGTERM)
    #expect(try first.holder.status() == 143)
    #expect(first.holder.standardError.isEmpty)
    #expect(try lock("a").fence > first.fence)
  }

  @Test("whoever comes first after the crash has it, and --grace does not take it back")
  func overtaken() throws {
    var hub = try startHub()
    let first = try lock("a", "--grace", "20s")
    first.holder.signal(SIGSTOP)
    hub.kill()
    hub = try startHub()
    defer { hub.kill() }
    let second = try lock("a")
    first.holder.signal(SIGCONT)
    #expect(try first.holder.status() == 11)
    #expect(first.holder.standardError.contains("another process had it in the meantime"))
    second.holder.signal(SIGTERM)
    #expect(try second.holder.status() == 143)
    // Even if that one has already gone again.
    let third = try lock("a", "--grace", "20s")
    third.holder.signal(SIGSTOP)
    hub.kill()
    hub = try startHub()
    defer { hub.kill() }
    #expect(try control.run("lock", "a", "--", "true").status == 0)
    third.holder.signal(SIGCONT)
    #expect(try third.holder.status() == 11)
  }

  @Test("a hub that keeps nothing does not know who had it, and --grace does not help")
  func forgetful() throws {
    var hub = try startHub(volatile: true)
    let first = try lock("a", "--grace", "20s")
    hub.kill()
    hub = try startHub(volatile: true)
    defer { hub.kill() }
    #expect(try first.holder.status() == 11)
  }

  @Test("a hub that stays away ends the command when --grace is over")
  func away() throws {
    let hub = try startHub()
    let first = try lock("a", "--grace", "300ms")
    hub.kill()
    #expect(first.holder.poll(milliseconds: 100) == nil)
    #expect(try first.holder.status() == 11)
  }

  @Test("a reload of the hub costs nobody a lock")
  func reloaded() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let first = try lock("a")
    #expect(try control.run("reload").status == 0)
    #expect(try control.run("lock", "a", "--wait", "100ms", "--", "true").status == 124)
    first.holder.signal(SIGTERM)
    #expect(try first.holder.status() == 143)
  }

  @Test(
    "who removes or sets the lock's store breaks the lock", arguments: [["remove", "a"], ["set", "a", "1"]])
  func broken(words: [String]) throws {
    let hub = try startHub()
    defer { hub.kill() }
    let first = try lock("a")
    #expect(try control.start(words).status() == 0)
    #expect(try first.holder.status() == 11)
    #expect(
      first.holder.standardError
        == "statectl: a: the lock was lost: another process has it now, or removed it\n")
  }

  @Test("a former holder's number is refused by a transaction that checks it")
  func fenced() throws {
    let hub = try startHub()
    defer { hub.kill() }
    let script =
      #"printf 'set a.fence %s --if-revision %s --if-value %s\nadd done\n' $STATEHUB_EPOCH $STATEHUB_FENCE $STATEHUB_EPOCH"#
      + " | statectl txn"
    try control.perform("set", "done", "0")
    // Checked twice, since a check must not be a change.
    #expect(try control.run("lock", "a", "--", "sh", "-c", "\(script) && \(script)").status == 0)
    #expect(try control.run("get", "done").output == "2\n")
    let late = "read line < \(directory.file("gate")); \(script)"
    mkfifo(directory.file("gate"), 0o600)
    let first = try lock(
      "a", command: ["sh", "-c", "echo $STATEHUB_FENCE $$; trap '' TERM; \(late); echo $?"])
    try control.perform("remove", "a")
    #expect(try control.run("lock", "a", "--", "true").status == 0)
    try directory.write("go\n", to: "gate")
    #expect(try first.holder.status() == 11)
    #expect(first.holder.standardOutput.hasSuffix("\n5\n"))
    #expect(try control.run("get", "done").output == "2\n")
  }

  @Test("a loss before the command's end is reported, even if statectl sees both at once")
  func both() throws {
    let hub = try startHub()
    defer { hub.kill() }
    mkfifo(directory.file("gate"), 0o600)
    let held = try lock(
      "a", command: ["sh", "-c", "echo $STATEHUB_FENCE $$; read line < \(directory.file("gate"))"])
    held.holder.signal(SIGSTOP)
    try control.perform("remove", "a")
    try directory.write("go\n", to: "gate")
    while !readFile("/proc/\(held.command)/stat").contains(") Z ") {
      try #require(held.holder.poll(milliseconds: 2) == nil)
    }
    held.holder.signal(SIGCONT)
    #expect(try held.holder.status() == 11)
  }

  @Test("a store that always exists is no lock, and names have to be names")
  func refused() throws {
    let hub = try startHub()
    defer { hub.kill() }
    try control.perform("create", "a", "--initial", "5")
    let always = try control.run("lock", "a", "--", "true")
    #expect(always.status == 6)
    #expect(always.errors.contains("a lock needs its own name"))
    #expect(try control.run("lock", "a*", "--", "true").status == 6)
    #expect(try control.run("lock", "b", "true").status == 2)
    #expect(try control.run("lock", "b", "--", "/no/such").status == 127)
    hub.kill()
    #expect(try control.run("lock", "b", "--", "true").status == 3)
  }
}
