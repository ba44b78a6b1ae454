// A Hub on a socket behind which something hostile listens: it fails with typed errors within its deadlines, and comes back.

import HubClient
import HubCore
import Synchronization
import TestSupport
import Testing

@Suite("A Hub on a hostile socket")
struct HostileHubTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func code(
    timeout: Duration = .milliseconds(700), _ script: @escaping @Sendable (HostileConnection) -> Void
  ) async throws -> (HubError.Code?, connections: Int) {
    let hostile = try HostileHub(in: directory, script)
    defer { hostile.stop() }
    let hub = Hub(.explicit(hostile.path), timeout: timeout)
    let error = await failure { try await hub.ping() }
    hub.close()
    return (error?.code, hostile.connections)
  }

  /// What a ping of the hub that `script` plays fails with, if it does not time out before the script has its turn.
  private func refusal(_ script: @escaping @Sendable (HostileConnection) -> Void) async throws -> HubError
    .Code?
  {
    for seconds in [3, 30, 120] {
      let (code, _) = try await code(timeout: .seconds(seconds), script)
      if code != .timeout { return code }
    }
    return .timeout
  }

  @Test("one that never answers: the request times out")
  func silence() async throws {
    #expect(try await code { $0.drain() }.0 == .timeout)
    let (code, connections) = try await code {
      $0.greet()
      $0.drain()
    }
    #expect(code == .timeout)
    #expect(connections <= 1)
  }

  @Test("one that closes every connection is tried again with growing pauses")
  func closing() async throws {
    let (code, connections) = try await code(timeout: .seconds(3)) { _ in }
    #expect(code == .connectionLost)
    #expect((2...20).contains(connections))
  }

  @Test("a frame of four gigabytes, one that is longer than the hub said, and bad text end the connection")
  func wrongFrames() async throws {
    let giant: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x85, 0, 0, 0, 2, 0, 0, 0]
    #expect(
      try await refusal {
        $0.send(giant); $0.drain()
      } == .protocolViolation)
    let long: [UInt8] = [0, 0, 0x20, 0, 0x85, 0, 0, 0, 2, 0, 0, 0]
    #expect(
      try await refusal {
        $0.greet(); $0.send(long); $0.drain()
      } == .protocolViolation)
    #expect(
      try await refusal {
        let number = $0.nextRequest() ?? 0
        $0.send(HostileConnection.frame { Reply.unwatched.encode(into: &$0, request: number) })
        $0.drain()
      } == .protocolViolation)
  }

  @Test("an answer before the welcome is no answer, and the request does not wait forever")
  func answeredBeforeHello() async throws {
    let (code, _) = try await code {
      for number in 1..<10 as Range<UInt32> { $0.send(HostileConnection.welcome(number)) }
      $0.drain()
    }
    #expect(code == .protocolViolation || code == .timeout)
  }

  @Test("a version that the client does not speak fails requests and streams at once, typed")
  func version() async throws {
    let hostile = try HostileHub(in: directory) {
      let number = $0.nextRequest() ?? 0
      $0.send(
        HostileConnection.frame {
          Reply.error(HubError(.unsupportedVersion, "too old")).encode(into: &$0, request: number)
        })
    }
    defer { hostile.stop() }
    let hub = Hub(.explicit(hostile.path), timeout: .unhurried)
    #expect(
      await failure { for try await _ in hub.value("n", of: Int.self).values {} }?.code == .unsupportedVersion
    )
  }

  @Test("endless answers to nobody, and events of nobody's stores, delay no deadline")
  func endless() async throws {
    let noise = HostileConnection.frame { out in
      for number in 100..<400 as Range<UInt32> {
        Reply.pong(revision: 1).encode(into: &out, request: number)
        HubEvent.synced(revision: UInt64(number % 7)).encode(into: &out)
        HubEvent.change(
          StoreState(
            id: StoreID(raw: UInt64(number)), revision: 0, version: 0, time: 0, uid: 0, value: .integer(1)),
          grouped: false, more: false
        ).encode(into: &out)
      }
    }
    let (code, _) = try await code {
      $0.greet()
      while $0.send(noise) {}
    }
    #expect(code == .timeout)
  }

  @Test("a welcome that comes byte by byte is taken, an endless list of stores is not")
  func slowAndEndless() async throws {
    let page: @Sendable (UInt32) -> [UInt8] = { number in
      HostileConnection.frame {
        Reply.listed(
          [
            StoreSummary(
              name: "a", id: StoreID(raw: 1), type: .integer, declared: false, revision: 1, version: 1,
              time: 0,
              length: 8, value: nil)
          ], more: true
        ).encode(into: &$0, request: number)
      }
    }
    let hostile = try HostileHub(in: directory) { connection in
      for byte in HostileConnection.welcome(connection.nextRequest() ?? 0) { connection.send([byte]) }
      while let number = connection.nextRequest(), connection.send(page(number)) {}
    }
    defer { hostile.stop() }
    let hub = Hub(.explicit(hostile.path), timeout: .unhurried)
    #expect(await failure { try await hub.list() }?.code == .protocolViolation)
  }

  @Test(
    "a write whose answer does not come: outcomeUnknown for add, once more for a condition, and for reads")
  func outcomes() async throws {
    let hostile = try HostileHub(in: directory) { connection in
      // Takes hello and the request with it, and hangs up.
      connection.greet()
      _ = connection.nextRequest()
    }
    defer { hostile.stop() }
    let hub = Hub(.explicit(hostile.path), timeout: .seconds(1))
    let number = hub.value("n", of: Int.self)
    #expect(await failure { try await number.add(1) }?.code == .outcomeUnknown)
    #expect(await failure { try await hub.value("b", of: Bool.self).toggle() }?.code == .outcomeUnknown)
    #expect(await failure { try await number.set(1) }?.code == .outcomeUnknown)
    let before = hostile.connections
    // Timeout, if its time is up while the hub has the request.
    let read = await failure { try await number.get() }?.code
    #expect(read == .connectionLost || read == .timeout)
    #expect(hostile.connections > before + 1)
    #expect(await failure { try await number.set(1, if: .absent) } != nil)
  }

  private static func refuse(_ connection: HostileConnection) {
    connection.send(
      HostileConnection.frame {
        Reply.error(HubError(.quota, "the hub serves 3 clients and takes no more")).encode(
          into: &$0, request: 0)
      })
  }

  @Test("a full hub is tried again, and its refusal is the status meanwhile")
  func full() async throws {
    let hostile = try HostileHub(in: directory) { Self.refuse($0) }
    defer { hostile.stop() }
    let hub = Hub(.explicit(hostile.path), timeout: .unhurried)
    let adding = Task { await failure { try await hub.value("n", of: Int.self).add(1) } }
    try await eventually("it is tried again") { hostile.connections > 2 }
    try await eventually("the refusal is known") { hub.status.error?.code == .quota }
    adding.cancel()
    // Cancelled between two attempts, or during one.
    let code = await adding.value?.code
    #expect(code == .closed || code == .outcomeUnknown)
  }

  @Test("a write that a full hub has refused is made as soon as there is room, once")
  func roomLater() async throws {
    let attempts = Atomic<Int>(0)
    let adds = Atomic<Int>(0)
    let hostile = try HostileHub(in: directory) { connection in
      if attempts.add(1, ordering: .relaxed).newValue < 3 { return Self.refuse(connection) }
      connection.greet()
      guard let number = connection.nextRequest() else { return }
      adds.add(1, ordering: .relaxed)
      let result = WriteResult(
        id: StoreID(raw: 1), revision: 2, version: 2, changed: true, durability: .volatile,
        value: .integer(8))
      connection.send(
        HostileConnection.frame { Reply.written(result).encode(into: &$0, request: number) })
      connection.drain()
    }
    defer { hostile.stop() }
    let hub = Hub(.explicit(hostile.path), timeout: .unhurried)
    #expect(try await hub.value("n", of: Int.self).add(1) == 8)
    #expect(adds.load(ordering: .relaxed) == 1)
    hub.close()
  }
}
