// What dump and load say while they take long: on a terminal one line that goes again, elsewhere nothing. The hub is played, so
// that it is as slow as the test wants.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("statectl's progress", .blocking)
struct StatectlProgressTests {
  private let directory: TemporaryDirectory
  private let control: Control
  private let hub: PlayedHub
  private let terminal: PseudoTerminal

  init() throws {
    directory = try TemporaryDirectory()
    hub = try PlayedHub(at: directory.file("hub.sock"))
    control = Control(directory: directory, socket: hub.path)
    terminal = try PseudoTerminal()
  }

  private func created(_ number: UInt64) -> HubEvent {
    let state = StoreState(
      id: StoreID(raw: number), revision: number, version: 1, time: 0, uid: 0, value: .integer(Int64(number)))
    return .created(
      name: "s.\(number)", Schema(type: .integer), state, grouped: false, more: false,
      transient: false)
  }

  /// Plays the hub of a dump up to the point where one of three stores is missing.
  private func beginDump() throws -> PlayedConnection {
    let connection = try hub.accept()
    _ = try connection.requests(3)
    try connection.answer { out in
      PlayedHub.welcome(&out)
      Reply.statistics([Statistic(name: "stores", value: 3)]).encode(into: &out, request: 2)
      Reply.watching(revision: 3).encode(into: &out, request: 3)
      for number in 1...2 as ClosedRange<UInt64> { created(number).encode(into: &out) }
    }
    return connection
  }

  private func end(_ connection: PlayedConnection) throws {
    try connection.answer { out in
      created(3).encode(into: &out)
      HubEvent.synced(revision: 3).encode(into: &out)
    }
  }

  private static let cleared = "\r\u{1B}[K"

  @Test(
    "dump shows its progress on a terminal, in one line that is erased in the end, and the dump is the same"
  )
  func dump() throws {
    let file = directory.file("dump")
    let process = try control.startShell("statectl dump > \(file) 2> \(terminal.path)")
    let connection = try beginDump()
    let first = try terminal.text(through: "dump: 2 of 3 stores received\u{1B}[K")
    #expect(first == "\rdump: 2 of 3 stores received\u{1B}[K")
    // It is written over, not below.
    #expect(try terminal.text(through: "received\u{1B}[K") == first)
    try end(connection)
    #expect(try process.status() == 0)
    let rest = try terminal.text(through: Self.cleared)
    #expect(!rest.contains("\n"))
    #expect(readFile(file).split(separator: "\n").count == 4)
  }

  @Test("without a terminal on standard error no progress is shown, however long it takes")
  func silence() throws {
    let process = try control.startShell("statectl dump > /dev/null")
    let connection = try beginDump()
    #expect(process.poll(milliseconds: 1600) == nil)
    try end(connection)
    #expect(try process.status() == 0)
    #expect(process.standardError.isEmpty)
  }

  @Test("what is done within a second shows no progress on a terminal either")
  func quick() throws {
    let process = try control.startShell(
      "statectl dump > /dev/null 2> \(terminal.path); echo done > \(terminal.path)")
    try end(try beginDump())
    #expect(try terminal.line() == "done")
    #expect(try process.status() == 0)
  }

  @Test("an error comes on its own line, after the progress is erased")
  func failure() throws {
    let process = try control.startShell("statectl dump > /dev/null 2> \(terminal.path)")
    var connection: PlayedConnection? = try beginDump()
    _ = try terminal.text(through: "stores received")
    withExtendedLifetime(connection) {}
    connection = nil
    #expect(try process.status() == 3)
    let rest = try terminal.text(through: "closed the connection")
    #expect(rest.contains(Self.cleared + "statectl: the hub at "))
  }

  @Test("load shows what it does and its progress, within the terminal's width")
  func load() throws {
    terminal.resize(columns: 16)
    let lines = (1...3).map { "{\"name\":\"s.\($0)\",\"type\":\"integer\",\"value\":\($0)}\n" }
    let file = try directory.write(lines.joined(), to: "dump")
    let process = try control.startShell("statectl load < \(file) 2> \(terminal.path)")
    let connection = try hub.accept()
    _ = try connection.requests(2)
    try connection.answer { out in
      PlayedHub.welcome(&out)
      Reply.listed([], more: false).encode(into: &out, request: 2)
    }
    // The try, whose last operation cannot succeed; then the load itself.
    guard case .transaction(let operations)? = try connection.requests(1).first else {
      throw TestFailure("no transaction")
    }
    #expect(operations.count == 4)
    #expect(try terminal.text(through: "\u{1B}[K") == "\rload: 0 of 3 st\u{1B}[K")
    try connection.answer { out in
      Reply.error(HubError(.conflict, store: "load.trial", "there is no such store", operation: 3)).encode(
        into: &out, request: 3)
    }
    guard case .transaction(let loaded)? = try connection.requests(1).first else {
      throw TestFailure("no transaction")
    }
    #expect(loaded.count == 3)
    try connection.answer { out in
      let result = WriteResult(
        id: StoreID(raw: 1), revision: 2, version: 1, changed: true, durability: .volatile)
      Reply.committed(revision: 2, [result, result, result]).encode(into: &out, request: 4)
    }
    #expect(try process.status() == 0)
    #expect(try terminal.text(through: Self.cleared).contains("\n") == false)
  }
}
