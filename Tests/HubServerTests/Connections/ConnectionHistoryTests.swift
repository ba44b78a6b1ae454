// Random histories of connections: in any order of events, the invariants hold, and what was sent arrives in order.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Histories of connections")
struct ConnectionHistoryTests {
  /// A client as the test knows it.
  private struct Client {
    var end: Int32
    /// Everything that was sent to it, and how much of it the client has read.
    var sent: [UInt8] = []
    var read = 0
    /// Replies that wait at the gate.
    var waiting: [UInt8] = []
  }

  @Test("the invariants hold after every step", arguments: 1...30)
  func history(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var hub = try ConnectionsFixture()
    var clients: [Int32: Client] = [:]
    for step in 0..<400 {
      hub.now.boot += UInt64.random(in: 0...50_000_000, using: &random)
      let alive = hub.connections.sessions.filter { clients[$0] != nil }.sorted()
      let session = alive.randomElement(using: &random)
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1:
        if alive.count < 6 {
          let (descriptor, end) = hub.connect(as: Bool.random(using: &random) ? 1000 : 1001)
          clients[descriptor] = Client(end: end)
        }
      case 2:
        if let session {
          let frame = ConnectionsFixture.frame(3)
          _ = Glibc.send(clients[session]!.end, frame, frame.count, Int32(MSG_NOSIGNAL))
        }
      case 3: if let session { shutdown(clients[session]!.end, Int32(SHUT_WR)) }
      case 4:
        if let session, Int.random(in: 0..<5, using: &random) == 0 {
          hub.ends.close(clients[session]!.end)
          // The number may soon be reused.
          clients[session]!.end = -1
        }
      case 5, 6: serve(&hub, &random)
      case 7, 8:
        if let session, takes(hub.connections[session].life), hub.connections[session].waiting.isEmpty {
          let count = Bool.random(using: &random) ? 10 : Int.random(in: 0...150_000, using: &random)
          let frame = ConnectionsFixture.frame(count, UInt8(truncatingIfNeeded: step))
          clients[session]!.sent += frame
          hub.send(frame, to: session)
        }
      case 9:
        if let session, takes(hub.connections[session].life) {
          let count = Int.random(in: 12...100_000, using: &random)
          hub.wait(count, session)
          clients[session]!.waiting += ConnectionsFixture.frame(count - 12)
        }
      case 10: write(&hub, &clients)
      case 11:
        if let session {
          check(&clients[session]!, Int.random(in: 0...300_000, using: &random), hub.ends)
          hub.noteWritable(session)
        }
      case 12:
        if let session, Int.random(in: 0..<4, using: &random) == 0 {
          if Bool.random(using: &random) {
            hub.connections.silence(session)
          } else {
            hub.connections.end(session)
          }
          hub.connections.endIfFinished(session)
        }
      default:
        // As in the loop, no session is closed while the turn's write is awaited.
        write(&hub, &clients)
        hub.closeEnded()
        hub.connections.closeLeaving(before: hub.now.boot)
        for (session, client) in clients where hub.connections[session].life == .free {
          hub.ends.close(client.end)
          clients[session] = nil
        }
      }
      let problems = hub.problems()
      #expect(problems.isEmpty, "step \(step): \(problems)")
      if !problems.isEmpty { return }
    }
  }

  /// Writes the turn, and sends what waited for that.
  private func write(_ hub: inout ConnectionsFixture, _ clients: inout [Int32: Client]) {
    for (session, client) in clients {
      clients[session]!.sent += client.waiting
      clients[session]!.waiting = []
    }
    hub.write()
  }

  private func takes(_ life: SessionLife) -> Bool { life.isOpen && life.flow != .gone }

  private func serve(_ hub: inout ConnectionsFixture, _ random: inout SeededGenerator) {
    for session in hub.connections.sessions { hub.connections.noteReadable(session) }
    hub.connections.beginServing()
    while let session = hub.nextReady() {
      guard hub.connections.beginStep(session) else { continue }
      if let bytes = hub.connections.read(session) {
        hub.connections.keepInput(bytes, of: session)
        // Everything that was read is whole frames.
        let isDone = Bool.random(using: &random)
        hub.connections.dropInput(isDone ? hub.connections[session].input.count : 0, of: session)
      }
      hub.connections.endIfFinished(session)
    }
    hub.connections.endServing()
  }

  /// Checks that a client reads what it was sent, from where it stopped reading.
  private func check(_ client: inout Client, _ limit: Int, _ ends: ClientEnds) {
    guard ends.isOpen(client.end) else { return }
    let bytes = ConnectionsFixture.read(client.end, atMost: limit)
    let isRight = client.sent.dropFirst(client.read).starts(with: bytes)
    #expect(isRight, "\(bytes.count) bytes behind \(client.read) of \(client.sent.count)")
    client.read += bytes.count
  }
}
