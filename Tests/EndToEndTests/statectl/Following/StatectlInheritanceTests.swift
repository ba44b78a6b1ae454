// What a parent process has left behind does not change how statectl starts a command, nor what it learns of its end.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl starts commands as a shell does", .blocking)
struct StatectlInheritanceTests {
  private let bench: Bench
  private let control: Control

  init() throws {
    bench = try Bench()
    control = bench.control
    try control.perform("set", "a", "1")
  }

  @Test(
    "a parent that ignores SIGCHLD, or blocks signals, hides no status",
    arguments: Starting.allCases,
    ["--ignore-signal=CHLD", "--block-signal", "--ignore-signal=CHLD --block-signal"])
  func status(verb: Starting, left: String) throws {
    let result = try control.shell("exec env \(left) \(verb.line("sh -c 'exit 3'"))")
    #expect(result.status == 3, "\(result.errors)")
  }

  @Test(
    "a command finds no blocked signal, and none ignored but those that steer a job",
    arguments: Starting.allCases)
  func signals(verb: Starting) throws {
    let show = "grep -E '^Sig(Blk|Ign):' /proc/self/status"
    let none = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
    let others = "--ignore-signal=CHLD,PIPE,ALRM,XFSZ,RTMIN --block-signal"
    #expect(try control.shell("exec env \(others) \(verb.line(show))").output == none)
    // nohup and a shell's & mean the command.
    let steered = "--ignore-signal=HUP,INT,QUIT,TERM"
    #expect(
      try control.shell("exec env \(steered) \(verb.line(show))").output
        == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000004007\n")
  }

  @Test(
    "a command whose standard stream was closed finds it closed, and its other files do not get its number",
    arguments: Starting.allCases)
  func closed(verb: Starting) throws {
    let kept = bench.directory.file("kept-\(verb)")
    let script = try bench.directory.write(
      "exec 4> '\(kept)'; echo lost; echo status $? >&4\nread line; echo status $? >&4\n",
      to: "script-\(verb)")
    let result = try control.shell("\(verb.line("sh '\(script)'")) >&- <&-")
    #expect(result.output.isEmpty)
    let lines = readFile(kept).split(separator: "\n")
    #expect(lines.count == 2 && lines[0] != "status 0")
    // A watch gives its command an input of its own.
    #expect(verb == .watch ? lines.last == "status 0" : lines.last != "status 0")
  }

  @Test("a script without an interpreter is the shell's, as for a shell", arguments: Starting.allCases)
  func script(verb: Starting) throws {
    let script = try bench.directory.write("echo \"script $#\"; exit 3\n", to: "plain-\(verb)")
    chmod(script, 0o700)
    let result = try control.shell("\(verb.line("\(script) 'a b' c"))")
    #expect(result.status == 3 && result.output == "script 2\n", "\(result)")
  }

  @Test("a limit of the length of files ends no watch without a word")
  func fileLimit() throws {
    // Its errors go to a pipe, since they may not go to a file either.
    let line = "(ulimit -f 0; exec statectl watch a -1 --exec cat) 2>&1 | cat"
    #expect(try control.shell(line).output.hasSuffix("cannot buffer a command's input: File too large\n"))
  }

  @Test("a command finds the hub from another directory, too")
  func directory() throws {
    let folder = control.socket.split(separator: "/").dropLast().joined(separator: "/")
    let line =
      "cd /\(folder) && unset STATEHUB_SOCKET && statectl --socket hub.sock hold h 1 -- sh -c 'cd /; statectl get a'"
    #expect(try control.shell(line).output == "1\n")
  }

  @Test(
    "what was opened for a command reaches it, as through every other program", arguments: Starting.allCases)
  func opened(verb: Starting) throws {
    let file = try bench.directory.write("through\n", to: "open-\(verb)")
    let script = try bench.directory.write("cat <&7\n", to: "read-\(verb)")
    #expect(try control.shell("\(verb.line("sh '\(script)'")) 7< '\(file)'").output == "through\n")
  }

  @Test(
    "reads of a standard input that a parent has made non-blocking wait",
    arguments: [Starting.hold, .lock, .elect])
  func nonblocking(verb: Starting) throws {
    let (reading, writing) = try pipe()
    _ = fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK)
    let script = try bench.directory.write("echo ready; exec cat\n", to: "cat-\(verb)")
    let process = try ChildProcess(
      "/bin/sh", ["-c", "exec <&3 3<&-; \(verb.line("sh '\(script)'"))"],
      environment: [
        "STATEHUB_SOCKET": control.socket, "PATH": ChildProcess.built("") + ":/usr/bin:/bin",
      ], descriptors: [reading], directory: bench.directory)
    close(reading)
    _ = try process.lines(1)
    // It waits, so it sees what comes later.
    #expect(process.poll(milliseconds: 50) == nil)
    #expect(write(writing, "later\n", 6) == 6)
    #expect(try process.lines(2) == ["ready", "later"])
    close(writing)
    #expect(try process.status() == 0)
    #expect(process.standardError.isEmpty)
  }

  private func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  @Test("a value is read from a standard input that a parent has made non-blocking")
  func nonblockingValue() throws {
    let (reading, writing) = try pipe()
    _ = fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK)
    let process = try ChildProcess(
      "/bin/sh", ["-c", "exec statectl set late - <&3"],
      environment: [
        "STATEHUB_SOCKET": control.socket, "PATH": ChildProcess.built("") + ":/usr/bin:/bin",
      ], descriptors: [reading], directory: bench.directory)
    close(reading)
    #expect(process.poll(milliseconds: 50) == nil)
    #expect(write(writing, "5\n", 2) == 2)
    close(writing)
    #expect(try process.status() == 0, "\(process.standardError)")
    #expect(try control.run("get", "late").output == "5\n")
  }

  @Test(
    "a deciding command refuses with its status whatever the parent of provide ignores or blocks",
    arguments: ["--ignore-signal=CHLD", "--ignore-signal=CHLD,PIPE --block-signal"])
  func provider(left: String) throws {
    let provider = try control.startShell(
      "exec env \(left) statectl provide 'dev.*' -- sh -c 'grep ^Sig /proc/self/status | grep -E \"Blk|Ign\" >&2; exit 3'"
    )
    defer { provider.kill() }
    #expect(try control.run("wait", "statehub.providers.dev", "exists", "--timeout", "20").status == 0)
    let refused = try control.run("set", "dev.x", "5")
    #expect(refused.status == 6)
    #expect(refused.errors == "statectl: dev.x: SigBlk:\\t0000000000000000\n")
    #expect(try control.run("get", "dev.x").status == 4)
  }

  @Test(
    "what was ignored at the start stays ignored while a lock is awaited",
    arguments: [SIGHUP, SIGINT, SIGQUIT])
  func ignored(signal: Int32) throws {
    let holder = try control.start("lock", "a.lock", "--", "sh", "-c", "echo held; exec sleep 3600")
    _ = try holder.lines(1)
    let name = [SIGHUP: "HUP", SIGINT: "INT", SIGQUIT: "QUIT"][signal]!
    let waiting = try control.startShell(
      "exec env --ignore-signal=\(name) statectl lock a.lock -- sh -c 'kill -\(name) $$; echo alive'")
    try bench.hub.waitForWatches(2)
    waiting.signal(signal)
    holder.signal(SIGTERM)
    #expect(try waiting.status() == 0)
    #expect(waiting.standardOutput == "alive\n")
  }

  @Test("no descriptor of statectl's own reaches a command", arguments: Starting.allCases)
  func descriptors(verb: Starting) throws {
    // Sockets and files of the kernel's own would be statectl's.
    let script = try bench.directory.write(
      "for file in /proc/$$/fd/[1-9]*; do readlink $file; done | grep -E '^(socket|anon_inode|/memfd):?'; exit 0\n",
      to: "list-\(verb)")
    let result = try control.shell(verb.line("sh '\(script)' < /dev/null"))
    #expect(result == Control.Result(status: 0, output: "", errors: ""))
  }
}
