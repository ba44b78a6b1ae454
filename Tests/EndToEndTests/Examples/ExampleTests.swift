// The examples as their readers start them: real processes around a real hub.

import HubClient
import HubCore
import TestSupport
import Testing

@Suite("The examples", .blocking)
struct ExampleTests {
  private let directory: TemporaryDirectory
  private let hub: HubProcess

  init() throws {
    directory = try TemporaryDirectory()
    hub = try HubProcess(in: directory)
  }

  private func start(_ program: String, _ arguments: [String] = [], input: String = "/dev/null") throws
    -> ChildProcess
  {
    try ChildProcess(
      ChildProcess.built(program), arguments, environment: ["STATEHUB_SOCKET": hub.socket], input: input,
      directory: directory)
  }

  @Test("a counter that one reducer program writes is followed by another one and by statectl")
  func counter() async throws {
    let follower = try start("shared-counter", ["follow"])
    let watch = try start("statectl", ["watch", "counter"])
    let keyboard = try Keyboard(in: directory)
    let writer = try start("shared-counter", ["write"], input: keyboard.path)
    func everybodyShows(_ number: Int) async throws {
      try await writer.shows { $0.hasSuffix("\n\(number)\n") }
      try await follower.shows { $0.hasSuffix("counter: \(number)\n") }
      try await watch.shows { $0.hasSuffix("\(number)\n") }
    }
    try keyboard.type("+")
    try await everybodyShows(1)
    try keyboard.type("+\n+\n-")
    try await everybodyShows(2)
    try keyboard.type("?")
    try await writer.shows { $0.hasSuffix("?? It is +, - or =\n") }
    let second = try Keyboard(in: directory, name: "second")
    let other = try start("shared-counter", ["write"], input: second.path)
    for _ in 0..<50 {
      try keyboard.type("+")
      try second.type("+")
    }
    // Both show what is there once they are done with all that was typed before.
    try keyboard.type("!")
    try second.type("!")
    for process in [writer, other] { try await process.shows { $0.hasSuffix("!? It is +, - or =\n") } }
    try keyboard.type("=")
    try await everybodyShows(102)
  }

  @Test("the follower shows every number, however fast they come, each once and in order")
  func everyNumber() async throws {
    let follower = try start("shared-counter", ["follow"])
    let client = try hub.connect()
    try hub.waitForWatches(1)
    var expected = ""
    for number in [1, 2, 1] + (0..<300).map({ $0 % 7 }) {
      try client.send(.write(.set(.name(StoreName("counter")), .integer(Int64(number)))))
      expected += "counter: \(number)\n"
    }
    try await follower.shows { [expected] in $0.count >= expected.count }
    #expect(follower.standardOutput == expected)
  }

  @Test("the counter's processes continue with a hub that was started again")
  func outlives() async throws {
    let follower = try start("shared-counter", ["follow"])
    let keyboard = try Keyboard(in: directory)
    let writer = try start("shared-counter", ["write"], input: keyboard.path)
    try keyboard.type("+\n+")
    try await follower.shows { $0.hasSuffix("counter: 2\n") }
    hub.kill()
    // The hub keeps nothing on disk here, so counting starts anew.
    let next = try HubProcess(in: directory, socket: hub.socket)
    try keyboard.type("+")
    try await follower.shows { $0.hasSuffix("counter: 2\ncounter: 1\n") }
    try await writer.shows { $0.hasSuffix("\n2\n1\n") }
    withExtendedLifetime(next) {}
  }

  @Test("without a hub the follower says what is missing, and follows as soon as a hub is there")
  func noHub() async throws {
    hub.kill()
    let follower = try start("shared-counter", ["follow"])
    try await follower.complains { $0.contains("no hub") }
    let next = try HubProcess(in: directory, socket: hub.socket)
    try await next.hub().value("counter", of: Int.self).set(7)
    try await follower.shows { $0 == "counter: 7\n" }
  }

  @Test(
    "two processes show the same sync-ups: what one adds, what its meeting heard, and what the other deletes")
  func syncUps() async throws {
    let (here, there) = (try Keyboard(in: directory), try Keyboard(in: directory, name: "there"))
    let first = try start("sync-ups", input: here.path)
    let second = try start("sync-ups", input: there.path)
    try here.type("add Design: Ann, Bob")
    for process in [first, second] {
      try await process.shows { $0.hasSuffix("1. Design: Ann, Bob (held: 0)\n\n") }
    }
    try hub.waitForWatches(2)
    try here.type("open 1\nmeet")
    try await first.shows { $0.contains("0 s: Ann speaks") }
    try hub.waitForWatches(3)
    try await hub.hub().value("sync-ups.speech").set("We ship on Friday")
    try await first.shows { $0.hasSuffix("We ship on Friday\n") }
    try here.type("end")
    try await first.shows { $0.hasSuffix("End the meeting? [save] [discard] [resume]\n") }
    try here.type("save")
    try await first.shows { $0.hasSuffix("(held: 1)\n- We ship on Friday\n\n") }
    try await second.shows { $0.hasSuffix("1. Design: Ann, Bob (held: 1)\n\n") }
    try there.type("remove 1")
    try await first.shows { $0.hasSuffix("- We ship on Friday\n\n\n") }
  }

  @Test("a daemon takes its setting while it runs, the hub refuses nonsense, and its end is seen")
  func heartbeat() async throws {
    let values = hub.hub()
    let process = values.value("heartbeat.process", of: Int.self)
    var events = process.events(.every()).makeAsyncIterator()
    let daemon = try start("heartbeat")
    try await daemon.shows { $0 == "beat, the next in 1.0 seconds\n" }
    #expect(try await process.get() == Int(daemon.pid))

    let set = try start("statectl", ["set", "heartbeat.interval", "20"])
    #expect(try await set.ended() == .status(0))
    let line = "beat, the next in 0.02 seconds\n"
    try await daemon.shows { $0.hasSuffix(line + line) }

    let refused = try start("statectl", ["set", "heartbeat.interval", "5"])
    #expect(try await refused.ended() != .status(0))
    // The page on the examples shows this line.
    let shown = readFile("\(checkout)/Examples/README.md").split(separator: "\n")
    #expect(shown.contains { "\($0)\n" == refused.standardError })

    daemon.kill()
    while let event = try await events.next(), event.kind != .removed {}
    #expect(try await values.value("heartbeat.interval", of: Int.self).get() == 20)
  }

  @Test("an event loop writes and follows on the one thread that it has")
  func eventLoop() async throws {
    let keyboard = try Keyboard(in: directory)
    let loop = try start("event-loop", input: keyboard.path)
    try keyboard.type("a\nb")
    try await loop.shows { $0 == "lines: 2\n" }
    let other = hub.hub()
    #expect(try await other.value("event-loop.lines", of: Int.self).get() == 2)
    try await other.value("event-loop.title", of: String.self).set("Hello")
    try await loop.shows { $0.hasSuffix("title: Hello\n") }
    let threads = readFile("/proc/\(loop.pid)/status").split(separator: "\n").first {
      $0.hasPrefix("Threads:")
    }
    #expect(threads == "Threads:\t1")
  }

  @Test("a role that does not exist is told what there is")
  func usage() async throws {
    let program = try start("shared-counter", ["dance"])
    #expect(try await program.ended() == .status(2))
    #expect(program.standardError == "shared-counter: usage: shared-counter write | follow\n")
  }
}
