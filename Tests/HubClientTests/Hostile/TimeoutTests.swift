// Time-outs hold: whatever is asked, and whatever the hub does instead of answering, the caller waits no longer than it said.

import CLinux
import Glibc
import HubClient
import HubCore
import HubTransport
import Synchronization
import TestSupport
import Testing

/// What stands where a hub should be.
enum Obstacle: String, CaseIterable, Sendable {
  /// There is no socket.
  case absent
  /// The socket is there, and nothing listens.
  case refusing
  /// It listens, and accepts nothing: as a stopped process does.
  case stopped
  /// It has accepted and welcomed, and is stopped then.
  case stoppedLater
  /// It takes a request, and the connection ends, each time.
  case replaced
  /// It sends its welcome a byte at a time.
  case slowWelcome
  /// It sends an answer a byte at a time.
  case slow
  /// It takes no more clients.
  case full
}

extension Obstacle {
  func place(in directory: TemporaryDirectory) throws -> (path: String, keep: Any?) {
    switch self {
    case .absent: return (directory.file("absent.sock"), nil)
    case .refusing, .stopped:
      let path = directory.file("\(self).sock")
      let listener = clinux_unix_stream()
      var text = path
      try #require(text.withUTF8 { clinux_bind_unix(listener, $0.baseAddress, $0.count) } == 0)
      if self == .stopped { listen(listener, 64) } else { close(listener) }
      return (path, nil)
    case .stoppedLater:
      return hostile(
        try HostileHub(in: directory) {
          $0.greet()
          $0.drain()
        })
    case .replaced:
      return hostile(
        try HostileHub(in: directory) {
          $0.greet()
          _ = $0.nextRequest()
        })
    case .slowWelcome:
      return hostile(
        try HostileHub(in: directory) { connection in
          Obstacle.trickle(HostileConnection.welcome(connection.nextRequest() ?? 0), to: connection)
        })
    case .slow:
      return hostile(
        try HostileHub(in: directory) { connection in
          connection.greet()
          let number = connection.nextRequest() ?? 0
          Obstacle.trickle(
            HostileConnection.frame { Reply.pong(revision: 1).encode(into: &$0, request: number) },
            to: connection)
        })
    case .full:
      return hostile(
        try HostileHub(in: directory) { connection in
          connection.send(
            HostileConnection.frame {
              Reply.error(HubError(.quota, "no more clients")).encode(into: &$0, request: 0)
            })
        })
    }
  }

  private func hostile(_ hub: HostileHub) -> (path: String, keep: Any?) { (hub.path, Stopped(hub)) }

  /// Each byte before any wait for silence would end.
  private static func trickle(_ bytes: [UInt8], to connection: HostileConnection) {
    for byte in bytes {
      usleep(100_000)
      if !connection.send([byte]) { return }
    }
    connection.drain()
  }
}

@Suite("Time-outs")
struct TimeoutTests {
  private let directory: TemporaryDirectory
  fileprivate static let timeout = Duration.milliseconds(400)
  /// What a request may take beyond that.
  fileprivate static let allowance = Duration.milliseconds(200)
  /// A busy machine delays one attempt, and hardly so many.
  fileprivate static let attempts = 6

  init() throws { directory = try TemporaryDirectory() }

  private typealias Ask = @Sendable (Hub) async throws -> Void

  /// Every kind of request.
  private static let requests: [(name: String, ask: Ask)] = [
    ("ping", { try await $0.ping() }),
    ("get", { _ = try await $0.value("a", of: Int.self).get() }),
    ("read", { _ = try await $0.value("a", of: Int.self).read() }),
    ("set", { try await $0.value("a").set(1) }),
    ("set if", { try await $0.value("a").set(1, if: .absent) }),
    ("add", { try await $0.value("a", of: Int.self).add(1) }),
    ("add with a default", { try await $0.value("a", of: Int.self).add(1, default: 0) }),
    ("toggle", { try await $0.value("a", of: Bool.self).toggle() }),
    ("reset", { try await $0.value("a", of: Int.self).reset() }),
    ("remove", { try await $0.value("a", of: Int.self).remove() }),
    ("update", { try await $0.value("a", of: Int.self).update(default: 0) { $0 += 1 } }),
    ("create", { try await $0.create("a", Schema(type: .integer)) }),
    ("transaction", { hub in try await hub.transaction { $0.set(hub.value("a"), to: 1) } }),
    ("list", { _ = try await $0.list() }),
    ("describe", { _ = try await $0.describe("a") }),
    ("clients", { _ = try await $0.clients() }),
    ("stats", { _ = try await $0.stats() }),
    ("claims", { _ = try await $0.claims() }),
    ("values", { for try await _ in $0.value("a", of: Int.self).values.timeout(timeout) {} }),
    ("events", { for try await _ in $0.value("a", of: Int.self).events.timeout(timeout) {} }),
    ("watch", { for try await _ in $0.watch("**").timeout(timeout) {} }),
    ("views", { for try await _ in $0.watch("**").views.timeout(timeout) {} }),
    ("suspend", { try await $0.claim("a.**").suspend(because: "a test") }),
  ]

  /// - Returns: how much later than its time-out, and than a pause of the same length, it has ended.
  private func lateness(_ path: String, _ ask: @escaping Ask) async -> Duration {
    let clock = ContinuousClock()
    let hub = Hub(.explicit(path), timeout: TimeoutTests.timeout)
    async let pause = clock.measure { _ = try? await clock.sleep(for: TimeoutTests.timeout) }
    let taken = await clock.measure {
      let error = await failure { try await ask(hub) }
      #expect(error != nil)
    }
    let allowed = await max(pause, TimeoutTests.timeout)
    hub.close()
    return taken - allowed
  }

  @Test("no request of a Hub takes longer than its time-out", arguments: Obstacle.allCases)
  func hub(_ obstacle: Obstacle) async throws {
    let (path, keep) = try obstacle.place(in: directory)
    defer { withExtendedLifetime(keep) {} }
    await withTaskGroup(of: Void.self) { group in
      for (name, ask) in TimeoutTests.requests {
        group.addTask {
          var late: [Duration] = []
          while late.count < TimeoutTests.attempts {
            let measured = await lateness(path, ask)
            if measured <= TimeoutTests.allowance { return }
            late.append(measured)
          }
          Issue.record("\(name) is late each time, with a hub that is \(obstacle): \(late)")
        }
      }
    }
  }

  @Test("a list in pages, each of which comes in time, takes no longer than the time-out as a whole")
  func pages() async throws {
    let hostile = try HostileHub(in: directory) { connection in
      connection.greet()
      var page = 0
      while let number = connection.nextRequest() {
        page += 1
        usleep(150_000)
        let store = StoreSummary(
          name: "a\(1000 + page)", id: StoreID(raw: UInt64(page)), type: .integer, declared: false,
          revision: 1,
          version: 1, time: 0, length: 8, value: nil)
        connection.send(
          HostileConnection.frame { Reply.listed([store], more: true).encode(into: &$0, request: number) })
      }
    }
    defer { hostile.stop() }
    let hub = Hub(.explicit(hostile.path), timeout: TimeoutTests.timeout)
    #expect(await failure { try await hub.list() }?.code == .timeout)
  }

  @Test(
    "a path that no socket can have fails at once, by an error that names it",
    arguments: [
      String(repeating: "x", count: 108), "", "a\0b", "/tmp/" + String(repeating: "long/", count: 900),
    ])
  func path(_ path: String) async throws {
    let hub = Hub(.explicit(path), timeout: .unhurried)
    for (name, ask) in TimeoutTests.requests {
      let error = await failure { try await ask(hub) }
      #expect(error?.code == .noHub, "\(name)")
    }
    let error = await failure { for try await _ in hub.value("a", of: Int.self).values {} }
    #expect(error?.code == .noHub && error?.message.contains("the path of the hub's socket") == true)
    let claim = try hub.claim("a.**")
    #expect(await failure { for try await _ in claim.writes {} }?.code == .noHub)
    #expect(hub.status.error?.code == .noHub)
    let polled = try PolledHub(.explicit(path), timeout: .unhurried)
    #expect(await failure { try await polled.hub.ping() }?.code == .noHub)
    let carried = CarriedHub(.explicit(path), timeout: .unhurried) {}
    #expect(await failure { try await carried.hub.ping() }?.code == .noHub)
    #expect(throws: HubError.self) { _ = try HubConnection(to: .explicit(path), name: "test") }
  }
}

/// Ends with the test.
private final class Stopped {
  private let hub: HostileHub

  init(_ hub: HostileHub) { self.hub = hub }

  deinit { hub.stop() }
}

@Suite("Time-outs of a blocking connection", .blocking)
struct ConnectionTimeoutTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("no call of a blocking connection takes longer than its deadline", arguments: Obstacle.allCases)
  func connection(_ obstacle: Obstacle) throws {
    let (path, keep) = try obstacle.place(in: directory)
    defer { withExtendedLifetime(keep) {} }
    let requests: [Request] = [
      .ping, .get(.name(try StoreName("a"))), .list(.everything), .stats, .log(.everything),
      .watch([.everything], policy: .latest, bookmark: nil), .clients(),
      .write(.set(.name(try StoreName("a")), .integer(1))),
    ]
    for request in requests {
      var late: [Duration] = []
      repeat {
        let taken = ContinuousClock().measure {
          #expect(throws: HubError.self) {
            let deadline = Deadline.after(TimeoutTests.timeout)
            var connection = try HubConnection(to: .explicit(path), name: "test", deadline: deadline)
            _ = try connection.request(request, deadline: deadline)
          }
        }
        if taken <= TimeoutTests.timeout + TimeoutTests.allowance { break }
        late.append(taken)
      } while late.count < TimeoutTests.attempts
      #expect(late.count < TimeoutTests.attempts, "\(request) with a hub that is \(obstacle): \(late)")
    }
  }
}
