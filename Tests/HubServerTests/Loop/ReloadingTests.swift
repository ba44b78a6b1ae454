// A reload's progress: who asked, the trial of the installed program, and what the loop is told to do.

import Foundation
import Glibc
import HubCore
import HubEngine
import HubSystem
import TestSupport
import Testing

@testable import HubServer

@Suite("The progress of a reload", .blocking, .serialized)
struct ReloadingTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let killed = KilledPrograms()
  private let options = ServerOptions(socketPath: "/nowhere", isSystem: false)

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("program")
  }

  private static let goodAnswer = """
    echo statehub 9.9.9; echo image \(ImageFormat.version)
    """

  /// A program that may take over.
  private func installGood() throws { try install(ReloadingTests.goodAnswer) }

  private func install(_ script: String) throws {
    let source = try directory.write("#!/bin/sh\n\(script)\n", to: "script")
    chmod(source, 0o755)
    _ = try directory.copy(source, to: "program")
  }

  private func caller(_ connection: Int32) -> ServerImage.Caller {
    ServerImage.Caller(connection: connection, request: UInt32(connection) * 10)
  }

  /// The end of the trial that begins now.
  private func begin(_ reloading: inout Reloading, now: UInt64 = 0) throws -> UInt64 {
    try deadline(of: reloading.step(options, now: now))
  }

  private func deadline(of step: Reloading.Step) throws -> UInt64 {
    guard case .started(path, let until) = step else { throw TestFailure("not started: \(step)") }
    return until
  }

  /// The step that follows when the tried program has ended.
  private func outcome(_ reloading: inout Reloading) async throws -> Reloading.Step {
    while true {
      let step = reloading.step(options, now: 1)
      guard case .wait = step else { return step }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  private func program(_ step: Reloading.Step) throws -> ProgramFile {
    guard case .handOver(let program) = step else { throw TestFailure("not handed over: \(step)") }
    return program
  }

  private func refusal(_ step: Reloading.Step) throws -> String {
    guard case .refuse(let problem) = step else { throw TestFailure("not refused: \(step)") }
    return "\(problem)"
  }

  private func isNothing(_ step: Reloading.Step) -> Bool { if case .nothing = step { true } else { false } }

  @Test("while nobody asks there is nothing to do, and children and the timer change nothing")
  func idle() {
    var reloading = Reloading(program: path, running: nil, callers: [])
    #expect((reloading.isDue, reloading.isTrying) == (false, false))
    reloading.timerFired()
    #expect(reloading.isDue == false)
    reloading.childEnded()
    #expect(reloading.isDue == true)
    #expect(isNothing(reloading.step(options, now: 0)))
    #expect(reloading.isDue == false)
  }

  @Test("a program is tried, awaited and handed over to, and every caller is answered at the end, in order")
  func whole() async throws {
    try installGood()
    var reloading = Reloading(program: path, running: nil, callers: [caller(1)])
    #expect(reloading.ask(caller(2)) == nil)
    #expect(reloading.isDue == true)
    #expect(try begin(&reloading, now: 5) == 5 + ProgramTrial.patience)
    #expect((reloading.isDue, reloading.isTrying) == (false, true))
    reloading.timerFired()
    #expect(reloading.isDue == true)
    // Who asks meanwhile joins it.
    #expect(reloading.ask(caller(3)) == nil)
    let program = try program(await outcome(&reloading))
    #expect(program.path == path)
    #expect(reloading.isTrying == false)
    #expect(isNothing(reloading.step(options, now: 2)))
    #expect(reloading.end() == [caller(1), caller(2), caller(3)])
    #expect(reloading.callers == [])
    #expect(isNothing(reloading.step(options, now: 3)))
  }

  @Test(
    "while the program at the path is the one that runs, a reload applies the settings, and an upgrade tries it"
  )
  func unchanged() throws {
    try installGood()
    let running = try FileStatus(at: path).identity
    var reloading = Reloading(program: path, running: running, callers: [])
    #expect(reloading.ask(caller(1)) == nil)
    guard case .apply = reloading.step(options, now: 0) else { throw TestFailure("not applied") }
    #expect(reloading.end() == [caller(1)])
    reloading.ask(upgrade: true)
    _ = try begin(&reloading)
    _ = reloading.end()
    reloading.ask()
    guard case .apply = reloading.step(options, now: 0) else { throw TestFailure("not applied") }
    _ = reloading.end()
    rename(path, path + ".old")
    try installGood()
    reloading.ask()
    _ = try begin(&reloading)
  }

  @Test("a program that does not answer is awaited until its time is up, and refused then")
  func silent() throws {
    try install("exec sleep 1000")
    var reloading = Reloading(program: path, running: nil, callers: [])
    reloading.ask()
    let end = try begin(&reloading, now: 7)
    guard case .wait(end) = reloading.step(options, now: end - 1) else { throw TestFailure("not awaited") }
    #expect(try refusal(reloading.step(options, now: end)).contains("did not answer --version within 4 s"))
  }

  @Test("a program that may not take over, or cannot be tried, is refused with the reason")
  func refused() async throws {
    var nowhere = Reloading(program: nil, running: nil, callers: [])
    nowhere.ask(upgrade: true)
    #expect(try refusal(nowhere.step(options, now: 0)).contains("the program's own path"))
    var missing = Reloading(program: path, running: nil, callers: [])
    missing.ask()
    #expect(try refusal(missing.step(options, now: 0)).contains(path))
    try install("echo something else")
    var other = Reloading(program: path, running: nil, callers: [])
    other.ask()
    _ = try begin(&other)
    #expect(try refusal(await outcome(&other)).contains("is not a statehub"))
  }

  @Test("a program that is another by the time of its execution is tried anew, three times at most")
  func changes() async throws {
    try installGood()
    var reloading = Reloading(program: path, running: nil, callers: [])
    reloading.ask()
    var step = reloading.step(options, now: 0)
    for _ in 1..<3 {
      _ = try deadline(of: step)
      step = reloading.failed(.isAnother, try program(await outcome(&reloading)), now: 1)
    }
    _ = try deadline(of: step)
    let last = reloading.failed(.isAnother, try program(await outcome(&reloading)), now: 1)
    #expect(try refusal(last).contains("keeps changing"))
  }

  @Test("an execution that fails is the reason of the refusal; without one there is nothing to do")
  func execution() async throws {
    try installGood()
    var reloading = Reloading(program: path, running: nil, callers: [])
    let problem = ServerError.program("no luck")
    #expect(isNothing(reloading.failed(.failed(problem), try ProgramFile(path), now: 0)))
    reloading.ask()
    _ = try begin(&reloading)
    let program = try program(await outcome(&reloading))
    #expect(try refusal(reloading.failed(.failed(problem), program, now: 1)) == "\(problem)")
  }

  @Test("a caller that is gone is not answered, and only so many may wait")
  func callers() {
    var reloading = Reloading(program: path, running: nil, callers: [])
    for number in 1...1024 { #expect(reloading.ask(caller(Int32(number))) == nil) }
    #expect(reloading.ask(caller(2000))?.code == .reloadFailed)
    reloading.forget(7)
    #expect(reloading.ask(caller(2000)) == nil)
    let answered = reloading.end()
    #expect(answered.count == 1024 && !answered.contains(caller(7)) && answered.last == caller(2000))
  }

  @Test("a trial that is given up leaves its callers without an answer, and the next request begins another")
  func abandoned() throws {
    try installGood()
    var reloading = Reloading(program: path, running: nil, callers: [])
    #expect(reloading.ask(caller(1)) == nil)
    _ = try begin(&reloading)
    reloading.abandonTrial()
    #expect(reloading.isTrying == false)
    #expect(reloading.callers == [caller(1)])
    reloading.ask()
    _ = try begin(&reloading)
  }
}

/// Takes the ends of tried programs that were killed. A hub takes them with the next child that ends; a test that leaves them
/// keeps the wait for exit tests busy (`ChildEnd`).
private final class KilledPrograms: Sendable {
  deinit {
    for _ in 0..<100 {
      let programs = Self.children().filter { ["program", "sleep"].contains(Self.field("comm", of: $0)) }
      if programs.isEmpty { return }
      for pid in programs where Self.field("stat", of: pid).contains(") Z ") { waitpid(pid, nil, WNOHANG) }
      poll(nil, 0, 1)
    }
  }

  private static func children() -> [Int32] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.flatMap {
      readFile("/proc/self/task/\($0)/children").split(separator: " ").compactMap { Int32($0) }
    }
  }

  private static func field(_ name: String, of pid: Int32) -> String {
    readFile("/proc/\(pid)/\(name)").trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
