// This process's own environment, words, threads and signals.

import Glibc
import HubSystem
import TestSupport
import Testing

@Suite("System: this process", .blocking)
struct CurrentProcessTests {
  @Test("a variable is set, listed and removed")
  func environment() {
    let name = "STATEHUB_TEST_OF_THE_ENVIRONMENT"
    #expect(Environment[name] == nil)
    Environment[name] = "a=b"
    #expect(Environment[name] == "a=b")
    #expect(Environment.lines.contains(Array("\(name)=a=b".utf8)))
    Environment[name] = nil
    #expect(Environment[name] == nil)
  }

  @Test("the process's arguments are those that the runtime finds, on any thread")
  func ownArguments() {
    #expect(CurrentProcess.arguments.map { String(decoding: $0, as: UTF8.self) } == CommandLine.arguments)
  }

  @Test("an execution that is impossible says why")
  func execution() {
    #expect(CurrentProcess.execute("/nowhere/at/all", [Array("x".utf8)]) == .noSuchFile)
    #expect(CurrentProcess.programPath?.isEmpty == false)
    #expect(CurrentProcess.workingDirectory?.first == "/")
  }

  @Test("a signal that is blocked waits for the descriptor that reads it")
  func signalDescriptor() throws {
    let thread = try SystemThread.start {
      guard let signals = try? SignalDescriptor([.hangUp]) else { return #expect(Bool(false)) }
      #expect(signals.next() == nil)
      pthread_kill(pthread_self(), SIGHUP)
      #expect(Poll.wait(for: .reading, on: signals.raw, milliseconds: 0))
      #expect(signals.next() == .hangUp)
      #expect(signals.next() == nil)
    }
    thread.join()
  }

  @Test("a thread is itself and no other")
  func threads() throws {
    let here = SystemThread.current
    #expect(here == SystemThread.current)
    let other = try SystemThread.start { #expect(SystemThread.current != here) }
    other.join()
  }

  @Test("a detached thread gets no signals, and its starter keeps its own mask")
  func detached() throws {
    func mask() -> [Bool] {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      return (1...31).map { sigismember(&mask, $0) == 1 }
    }
    let before = mask()
    let done = try Wakeup()
    let raw = done.raw
    try SystemThread.startDetached {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      #expect(sigismember(&mask, SIGHUP) == 1 && sigismember(&mask, SIGURG) == 1)
      [UInt64(1)].withUnsafeBytes { _ = Descriptor.write($0, to: raw) }
    }
    #expect(mask() == before)
    done.wait(milliseconds: -1)
  }
}
