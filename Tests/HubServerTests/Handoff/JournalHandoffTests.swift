// The journal through both hand-offs: nothing acknowledged is lost, no recovery is needed, and waiting replies are sent.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("The journal through hand-offs", .blocking)
struct JournalHandoffTests {
  private static let synced = Schema(type: .integer, durability: .synced)

  private func start(
    _ directory: TemporaryDirectory, _ manager: FakeServiceManager, arguments: [String] = []
  ) throws -> HubProcess {
    // A reload says that it is ready, too.
    _ = manager.takeNotifications()
    let hub = try HubProcess(
      in: directory, arguments: ["--state-dir", directory.file("state")] + arguments,
      environment: ["FDSTORE": "512"], manager: manager, waits: false)
    try manager.waitUntilReady()
    return hub
  }

  /// How many lives the journal records: each begins a segment.
  private func segments(_ directory: TemporaryDirectory) -> Int {
    directory.names(in: "state").count { $0.hasPrefix("journal-") }
  }

  @Test(
    "after upgrades, restarts and a kill every acknowledged write is there, in the same epoch, and one recovery was needed"
  )
  func survives() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    var hub = try start(directory, manager)
    let client = try hub.connect()
    try client.write(.write(.create(try StoreName("disk"), JournalHandoffTests.synced)))
    var value: Int64 = 0
    for _ in 0..<3 {
      // Sends writes that wait for the disk, without waiting for the answers.
      let before = try (0..<20).map { _ in
        value += 1
        return try client.send(.set("disk", .integer(value)))
      }
      try hub.renew(client, by: .upgrade)
      for request in before {
        guard case .written = try client.reply(to: request) else { throw TestFailure("not written") }
      }
      value += 1
      try client.write(.set("page", .integer(value)))
      let during = try client.send(.set("disk", .integer(value)))
      hub.process.signal(SIGTERM)
      #expect(try manager.waitForEnd(of: hub.process) == .status(0), "\(hub.standardError)")
      hub = try start(directory, manager)
      guard case .written = try client.reply(to: during) else { throw TestFailure("not written") }
    }
    #expect(segments(directory) == 1)
    hub.kill()
    hub = try start(directory, manager)
    let next = try hub.connect()
    #expect(next.welcome?.epoch == client.welcome?.epoch)
    #expect(try next.value(of: "disk") == .integer(value))
    #expect(try next.value(of: "page") == .integer(value))
    #expect(segments(directory) == 2)
  }

  @Test("a hub that is stopped for good, although it has handed over, has stopped cleanly")
  func stopped() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try start(directory, manager)
    let client = try hub.connect()
    try client.write(.set("a", .integer(1)))
    hub.process.signal(SIGTERM)
    #expect(try manager.waitForEnd(of: hub.process) == .status(0))
    manager.dropStored()
    let inspection = try ChildProcess(
      ChildProcess.built("statehub"), ["inspect", directory.file("state")], directory: directory)
    #expect(try inspection.wait() == .status(0))
    #expect(inspection.standardOutput.contains("stopped cleanly"), "\(inspection.standardOutput)")
    let next = try start(directory, manager)
    #expect(try next.connect().value(of: "a") == .integer(1))
  }

  @Test("a reload keeps the state directory that is in use, and says that another one has to wait")
  func otherDirectory() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let path = directory.file("hub.json5")
    try directory.write("{ stateDirectory: \"\(directory.file("state"))\" }", to: "hub.json5")
    let hub = try HubProcess(in: directory, arguments: ["--config", path], manager: manager, waits: false)
    try manager.waitUntilReady()
    let client = try hub.connect()
    try client.write(.set("a", .integer(1)))
    try directory.write("{ stateDirectory: \"\(directory.file("other"))\" }", to: "hub.json5")
    guard case .reloaded(_, let notes) = try client.call(.reload) else { throw TestFailure("not reloaded") }
    #expect(notes.count == 1 && notes[0].hasPrefix("stateDirectory: the change from "))
    #expect(access(directory.file("other"), F_OK) != 0)
    try client.write(.set("a", .integer(2)))
    try hub.terminate()
    let next = try HubProcess(
      in: directory, socket: directory.file("next.sock"), arguments: ["--state-dir", directory.file("state")])
    #expect(try next.connect().value(of: "a") == .integer(2))
  }

  @Test(
    "followers resume by themselves when the hub is killed: a hundred of them, each with every change once")
  func followers() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    try manager.listen(at: directory.file("hub.sock"), name: "statehub")
    var hub = try start(directory, manager)
    var bookmarks: [Bookmark?] = Array(repeating: nil, count: 100)
    var versions = Array(repeating: UInt64(0), count: 100)
    var value: Int64 = 0
    for round in 0..<4 {
      let writer = try hub.connect()
      let followers = try bookmarks.map { bookmark in
        let client = try RawClient(to: hub.socket)
        let welcome = try client.hello()
        if let bookmark { #expect(welcome.epoch == bookmark.epoch) }
        try client.send(.watch([try NamePattern("a")], policy: .every, bookmark: bookmark))
        return client
      }
      for _ in 0..<10 {
        value += 1
        try writer.write(.set("a", .integer(value)))
      }
      for (index, client) in followers.enumerated() {
        var last: Value?
        while last != .integer(value) {
          let event = try client.nextEvent()
          if case .forget = event { throw TestFailure("a follower had to forget") }
          guard let state = event.state else { continue }
          if round > 0 || versions[index] > 0 {
            #expect(state.version == versions[index] + 1, "follower \(index), round \(round)")
          }
          versions[index] = state.version
          last = state.value
        }
        bookmarks[index] = Bookmark(epoch: client.welcome!.epoch, revision: UInt64.max)
      }
      // What all of them have seen.
      guard case .value(let state) = try writer.call(.get("a")) else { throw TestFailure("no value") }
      for index in bookmarks.indices { bookmarks[index]!.revision = state.revision }
      hub.kill()
      hub = try start(directory, manager)
    }
  }
}
