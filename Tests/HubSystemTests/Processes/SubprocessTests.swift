// Programs that are started: what they get, and how they end.

import Glibc
import HubSystem
import TestSupport
import Testing

@Suite("System: processes", .blocking)
struct SubprocessTests {
  /// What a shell script writes, and how it ends.
  private func run(
    _ script: String, environment: [[UInt8]] = Environment.lines, _ change: (inout Spawn) -> Void = { _ in }
  ) throws -> (output: String, end: Subprocess.End) {
    var pipe = try Pipe()
    var spawn = Spawn(["sh", "-c", script].map { Array($0.utf8) }, environment: environment)
    spawn.give(pipe.writingEnd, as: .output)
    change(&spawn)
    let process = try spawn.start()
    pipe.closeWriting()
    var output: [UInt8] = []
    while case let more = Descriptor.readOnce(pipe.reading.raw, limit: 4096), !more.isEmpty { output += more }
    return (String(decoding: output, as: UTF8.self), try process.waitForEnd())
  }

  @Test("a program ends with a status, or by a signal")
  func ends() throws {
    #expect(try run("exit 7").end == .exited(7))
    #expect(try run("kill -KILL $$").end == .signaled(.kill))
    #expect(Subprocess.End.exited(3).shellStatus == 3)
    #expect(Subprocess.End.signaled(.terminate).shellStatus == 143)
    #expect(Signal.terminate.title == "Terminated")
  }

  @Test("a program that is not there is an error of the start")
  func missing() throws {
    var spawn = Spawn("/nowhere/at/all", [])
    #expect(throws: SystemError.noSuchFile) { try spawn.start() }
    let directory = try TemporaryDirectory()
    var file = Spawn(try directory.write("x", to: "f"), [])
    #expect(throws: SystemError.accessDenied) { try file.start() }
  }

  @Test("a program gets its words, its variables and its input as they are given")
  func given() throws {
    let file = try MemoryFile.create("input")
    Array("a line".utf8).withUnsafeBytes { _ = Descriptor.writeAll($0, to: file.raw) }
    File.rewind(file.raw)
    let (output, end) = try run("echo $WORD; cat", environment: [Array("WORD=given".utf8)]) {
      $0.give(file.raw, as: .input)
    }
    #expect(output == "given\na line" && end == .exited(0))
    #expect(try run("cat") { $0.giveNoInput() }.output == "")
  }

  @Test("what lives on across exec stays away from a program that is to get nothing else")
  func nothingElse() throws {
    let file = try Descriptor(opening: "/dev/null")
    let kept = try Descriptor.duplicate(file.raw, from: 40)
    kept.setSurvivesExecution(true)
    let script = "[ -e /proc/self/fd/\(kept.raw) ] && echo there || echo gone"
    #expect(try run(script).output == "there\n")
    #expect(try run(script) { $0.giveNothingElse() }.output == "gone\n")
  }

  @Test("signals have their default effect in a program, and none is blocked, if that is asked for")
  func signals() throws {
    // No other test uses it, and what a process ignores, its children ignore.
    let signal = Signal(SIGUSR2)
    Signal.unblock([signal])
    signal.ignore()
    defer { signal.restoreDefault() }
    let script = "kill -USR2 $$; echo alive"
    #expect(try run(script).output == "alive\n")
    #expect(try run(script) { $0.restoreSignals() }.end == .signaled(signal))
    #expect(try run(script) { $0.restoreSignals(except: [signal]) }.output == "alive\n")
  }

  @Test("an end is seen before it is reaped, on a descriptor too")
  func watching() throws {
    var spawn = Spawn("/bin/cat", [])
    let pipe = try Pipe()
    spawn.give(pipe.reading.raw, as: .input)
    spawn.leadGroup()
    let process = try spawn.start()
    let end = try process.end()
    #expect(!process.hasEnded && process.reap() == nil)
    #expect(getpgid(process.pid) == process.pid)
    process.killGroup()
    #expect(Poll.wait(for: .reading, on: end.raw, milliseconds: 60_000))
    #expect(process.hasEnded)
    #expect(process.reap() == .signaled(.kill))
    #expect(!process.hasEnded)
  }
}
