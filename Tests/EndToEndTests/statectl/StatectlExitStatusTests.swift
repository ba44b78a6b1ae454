// The exit statuses that need a hub which misbehaves: one that the test plays itself, frame by frame.

import CLinux
import Glibc
import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("statectl's exit status", .blocking)
struct StatectlExitStatusTests {
  private let directory: TemporaryDirectory
  private let control: Control
  private let hub: PlayedHub

  init() throws {
    directory = try TemporaryDirectory()
    hub = try PlayedHub(at: directory.file("hub.sock"))
    control = Control(directory: directory, socket: hub.path)
  }

  private func play(_ arguments: String..., answer: (inout OutputBuffer) -> Void) throws -> Control.Result {
    let process = try control.start(arguments)
    try hub.serve(answer)
    return Control.Result(
      status: try process.status(), output: process.standardOutput, errors: process.standardError)
  }

  @Test("a hub that never stops showing stores to a get is left before it takes all memory")
  func endless() throws {
    let process = try control.start("get", "**")
    let connection = try hub.accept()
    _ = try connection.requests(2)
    try connection.answer { out in
      PlayedHub.welcome(&out)
      Reply.watching(revision: 1).encode(into: &out, request: 2)
    }
    let value = Value.data([UInt8](repeating: 0, count: 1 << 19))
    var count: UInt64 = 0
    // Until it has gone.
    while count < 2000, process.poll(milliseconds: 0) == nil {
      count += 1
      let state = StoreState(
        id: StoreID(raw: count), revision: count, version: 1, time: 0, uid: 0, value: value)
      guard (try? connection.answer { HubEvent.current(name: "a\(count)", state).encode(into: &$0) }) != nil
      else {
        break
      }
    }
    #expect(try process.status() == 6 && count < 2000)
    #expect(process.standardError.contains("the matching stores take more than 256 MiB"))
  }

  @Test(
    "a hub that never stops showing stores to a dump is left before it takes all memory",
    arguments: [false, true])
  func endlessDump(hasStatistics: Bool) throws {
    let process = try control.start("dump")
    let connection = try hub.accept()
    _ = try connection.requests(3)
    try connection.answer { out in
      PlayedHub.welcome(&out)
      if hasStatistics {
        Reply.statistics([Statistic(name: "memory_bytes", value: 1000)]).encode(into: &out, request: 2)
      } else {
        Reply.error(HubError(.denied, "not for you")).encode(into: &out, request: 2)
      }
      Reply.watching(revision: 1).encode(into: &out, request: 3)
    }
    let value = Value.data([UInt8](repeating: 0, count: 1 << 19))
    var count: UInt64 = 0
    while count < 2000, process.poll(milliseconds: 0) == nil {
      count += 1
      let state = StoreState(
        id: StoreID(raw: count), revision: count, version: 1, time: 0, uid: 0, value: value)
      let event = HubEvent.created(
        name: "a\(count)", Schema(type: .data), state, grouped: false, more: false, transient: false)
      guard (try? connection.answer { event.encode(into: &$0) }) != nil else { break }
    }
    #expect(try process.status() == 6 && count < 2000)
    #expect(process.standardError.contains("the matching stores take more than 256 MiB: dump fewer stores"))
  }

  @Test(
    "tells one kind of failure from another",
    arguments: [
      (HubError.Code.denied, Int32(7)), (.quota, 8), (.conflict, 5), (.noSuchStore, 4), (.outOfRange, 6),
      (.storageFailed, 1), (.notSupported, 1), (.reserved, 6), (.invalidName, 6),
    ])
  func refusals(code: HubError.Code, status: Int32) throws {
    let result = try play("toggle", "a") { out in
      PlayedHub.welcome(&out)
      Reply.error(HubError(code, store: "a", "that will not do")).encode(into: &out, request: 2)
    }
    #expect(result == Control.Result(status: status, output: "", errors: "statectl: a: that will not do\n"))
  }

  @Test("is 9 for a hub of another protocol version")
  func version() throws {
    let result = try play("get", "a") { out in
      Reply.error(HubError(.unsupportedVersion, "this hub speaks version 7")).encode(into: &out, request: 1)
    }
    #expect(
      result == Control.Result(status: 9, output: "", errors: "statectl: this hub speaks version 7\n"))
  }

  @Test("is 10 for a hub that ends the connection and says why", arguments: ["get", "watch"])
  func ended(verb: String) throws {
    // A watch waits for a hub that is being restarted, not for one that has thrown it out.
    let reason: EndReason = verb == "get" ? .shuttingDown : .notReading
    let result = try play(verb, "a") { out in
      PlayedHub.welcome(&out)
      if verb == "watch" { Reply.watching(revision: 1).encode(into: &out, request: 2) }
      HubEvent.ended(reason, message: "that was it").encode(into: &out)
    }
    #expect(result == Control.Result(status: 10, output: "", errors: "statectl: that was it\n"))
  }

  @Test("is 3 for a connection that is lost, and a write says that its outcome is not known")
  func lost() throws {
    let read = try play("get", "a") { _ in }
    #expect(read.status == 3)
    #expect(!read.errors.contains("not known"))
    let write = try play("toggle", "a") { PlayedHub.welcome(&$0) }
    #expect(write.status == 3)
    #expect(write.errors.hasSuffix("; its outcome is unknown\n"))
  }

  @Test("is 1 for a hub that talks nonsense")
  func nonsense() throws {
    let short = try play("get", "a") { $0.append([2, 0, 0, 0, 0x80, 0, 0, 0, 1, 0, 0, 0, 1, 0]) }
    #expect(short.status == 1)
    #expect(short.errors.contains("the welcome frame is truncated"))
    let mixed = try play("get", "a") { out in
      PlayedHub.welcome(&out)
      Reply.unwatched.encode(into: &out, request: 2)
    }
    #expect(mixed.status == 1)
    #expect(mixed.errors == "statectl: the hub's reply does not match the request\n")
  }

  @Test("a message from the hub cannot send control characters to the terminal")
  func escapes() throws {
    let result = try play("get", "a") { out in
      PlayedHub.welcome(&out)
      Reply.error(HubError(.denied, store: "a", "\u{1B}[2Jgone\nstatectl: fine")).encode(
        into: &out, request: 2)
    }
    #expect(result.errors == #"statectl: a: \u001b[2Jgone\nstatectl: fine"# + "\n")
  }

  @Test("every code of the hub has a status")
  func table() {
    let statuses = HubError.Code.allCases.map(\.exitStatus)
    #expect(Set(statuses) == [1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 124])
  }

  @Test("a value is typed and written in two round trips at most")
  func roundTrips() throws {
    let process = try control.start("set", "a", "5")
    let connection = try hub.accept()
    // Hello, the question for the type and the first attempt come together.
    let first = try connection.requests(3)
    #expect(first.count == 3)
    #expect(first[1] == .list(try NamePattern("a"), limit: 1))
    #expect(first[2] == .write(.set(.name(try StoreName("a")), .integer(5))))
    let summary = StoreSummary(
      name: "a", id: StoreID(raw: 1), type: .string, declared: false, revision: 1, version: 1, time: 0,
      length: 1, value: .string("x"))
    try connection.answer { out in
      PlayedHub.welcome(&out)
      Reply.listed([summary], more: false).encode(into: &out, request: 2)
      Reply.error(HubError(.typeMismatch, store: "a", "a is a string")).encode(into: &out, request: 3)
    }
    #expect(try connection.requests(1) == [.write(.set(.name(try StoreName("a")), .string("5")))])
    try connection.answer { out in
      let result = WriteResult(
        id: StoreID(raw: 1), revision: 2, version: 2, changed: true, durability: .volatile)
      Reply.written(result).encode(into: &out, request: 4)
    }
    #expect(try process.status() == 0)
  }

  /// The numbers of the page's table.
  private func documented() -> Set<Int32> {
    let page = readFile("\(checkout)/docs/statectl.md")
    let table = page.split(separator: "| status | means |\n")[1].split(separator: "\n\n")[0]
    return Set(
      table.split(separator: "\n").compactMap { $0.firstMatch(of: /^\| ([0-9]+) \|/).flatMap { Int32($0.1) } }
    )
  }

  @Test("each status of the page's table is what a program gets that does such a thing")
  func provoked() throws {
    let bench = try Bench()
    let real = bench.control
    try real.perform("set", "n", "5")
    let configuration = try directory.write("{ maxStores: 1 }", to: "small.json5")
    let small = try HubProcess(
      in: directory, socket: directory.file("small.sock"),
      arguments: ["--volatile", "--config", configuration])
    #expect(try real.shell("statectl --socket \(small.socket) set one 1").status == 0)
    let provided = try HubProcess(
      in: directory, socket: directory.file("provided.sock"),
      arguments: [
        "--volatile", "--config",
        try directory.write("{ providers: { dev: { stores: 'dev.x' } } }", to: "provided.json5"),
      ])
    let made = try directory.write("{ stores: { made: { type: 'integer' } } }", to: "made.json5")
    var statuses: [Int32] = [
      try real.shell("statectl get n").status,
      try real.shell("statectl get n > /dev/full").status,
      try real.shell("statectl fetch n").status,
      try real.shell("statectl --socket \(directory.file("none.sock")) get n").status,
      try real.shell("statectl get nothing").status,
      try real.shell("statectl set n 6 --if-value 7").status,
      try real.shell("statectl set n six").status,
      try play("reload") { out in
        PlayedHub.welcome(&out)
        Reply.error(HubError(.denied, "only root may")).encode(into: &out, request: 2)
      }.status,
      try real.shell("statectl --socket \(small.socket) set two 2").status,
      try play("get", "n") { out in
        Reply.error(HubError(.unsupportedVersion, "this hub speaks version 7")).encode(into: &out, request: 1)
      }.status,
      try play("list") { out in
        PlayedHub.welcome(&out)
        HubEvent.ended(.shuttingDown, message: "the hub stops").encode(into: &out)
      }.status,
      try real.shell("statectl lock a -- sh -c 'statectl remove a; exec sleep 3600'").status,
      try real.shell("statectl --socket \(provided.socket) set dev.x 1").status,
      try real.shell(
        """
        export STATEHUB_SOCKET=\(provided.socket)
        statectl provide dev.x --name dev --timeout 100ms -- sleep 30 & provider=$!
        until statectl claims | grep -q live; do :; done
        statectl set dev.x 1; status=$?
        kill $provider; exit $status
        """
      ).status,
      try real.shell("statectl apply --source made \(made)").status,
      try real.shell("statectl wait n gt 5 --timeout 50ms").status,
    ]
    #expect(statuses == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 124])
    #expect(Set(statuses) == documented())
    // Whoever reads no more is no failure; and the help names the same numbers.
    let pipe = try real.startShell("statectl watch n | head -n 1; exit ${PIPESTATUS[0]}", in: "bash")
    for value in 6..<30 where pipe.poll(milliseconds: 20) == nil { try real.perform("set", "n", "\(value)") }
    #expect(try pipe.status() == 0)
    let line = Help.overview.split(separator: "Exit status: ")[1].prefix { $0 != "." }
    statuses = line.matches(of: /[0-9]+/).compactMap { Int32($0.output) }
    #expect(Set(statuses) == documented())
    withExtendedLifetime((small, provided)) {}
  }
}
