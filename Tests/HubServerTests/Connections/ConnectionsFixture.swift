// Connections with real sockets and an engine, without a loop: the test takes each of its steps.

import CLinux
import Glibc
import HubCore
import HubEngine
import HubSystem
import TestSupport

@testable import HubServer

/// The client's ends, which are closed with the fixture.
final class ClientEnds {
  /// The hub's end, as it was opened: its number is another's once the hub has closed it.
  private struct HubEnd {
    let descriptor: Int32
    let socket: ino_t

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      socket = HubEnd.socket(descriptor) ?? 0
    }

    var isOpen: Bool { HubEnd.socket(descriptor) == socket }

    private static func socket(_ descriptor: Int32) -> ino_t? {
      var status = stat()
      return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }
  }

  private var open: [Int32: HubEnd] = [:]

  func add(_ end: Int32, of hub: Int32) { open[end] = HubEnd(hub) }

  func isOpen(_ end: Int32) -> Bool { open[end] != nil }

  /// Closes a client's end, and waits until the hub's end shows it: a process that another test starts has a copy for a moment.
  func close(_ end: Int32) {
    guard let hub = open.removeValue(forKey: end) else { return }
    Glibc.close(end)
    if hub.isOpen { precondition(ConnectionsFixture.isOver(hub.descriptor, milliseconds: longestPoll)) }
  }

  deinit { for end in open.keys { Glibc.close(end) } }
}

struct ConnectionsFixture: ~Copyable {
  var connections: Connections
  var engine = HubEngine(epoch: Epoch(high: 1, low: 2))
  var gate = ReplyGate()
  var now = Instant(wall: 1, boot: 1_000_000_000)
  let ends = ClientEnds()

  init(heldBytes: Int = 64 << 20, bufferBytes: Int = 8 << 20) throws {
    connections = try Connections(
      Poller(), descriptors: 2048, maxClients: 100, heldBytes: heldBytes, bufferBytes: bufferBytes,
      UserLimits(mostClients: 100, perSecond: 100, hubUser: 0))
  }

  /// A connection, before it is a session.
  func pair() -> (hub: Int32, client: Int32) {
    var ends: [Int32] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    precondition(socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0)
    self.ends.add(ends[1], of: ends[0])
    return (ends[0], ends[1])
  }

  mutating func connect(as uid: UInt32 = 1000) -> (hub: Int32, client: Int32) {
    let pair = pair()
    try? connections.poller.add(pair.hub)
    connections.open(pair.hub, of: uid, isExtra: false, helloBefore: now.boot + 1)
    engine.open(SessionID(raw: pair.hub), peer: Peer(pid: 1, uid: 1, gid: 1), now: now)
    return pair
  }

  mutating func send(_ bytes: [UInt8], to descriptor: Int32) {
    bytes.withByteView { connections.send($0, to: descriptor, &engine) }
  }

  /// Sends frames until the socket takes no more.
  ///
  /// - Returns: all of them.
  mutating func block(_ descriptor: Int32) -> [UInt8] {
    var sent: [UInt8] = []
    let frame = ConnectionsFixture.frame(50_000)
    while connections[descriptor].life.flow == .open {
      send(frame, to: descriptor)
      sent += frame
    }
    return sent
  }

  /// Begins the session's step.
  mutating func begin(_ descriptor: Int32) -> Bool {
    var begins = false
    connections.beginServing()
    while let next = nextReady() { begins = connections.beginStep(next) && next == descriptor }
    connections.endServing()
    return begins
  }

  mutating func read(_ descriptor: Int32) -> [UInt8]? { connections.read(descriptor)?.array }

  var hasWork: Bool { connections.hasWork }

  mutating func resume(_ descriptor: Int32) { connections.resumeOutput(of: descriptor, &engine) }

  mutating func noteWritable(_ descriptor: Int32) { connections.noteWritable(descriptor, &engine) }

  /// The next ready session, which has been sent what its socket takes.
  mutating func nextReady() -> Int32? {
    guard let next = connections.nextReady() else { return nil }
    _ = connections.sendWaiting(to: next, &engine)
    return next
  }

  mutating func closeEnded() {
    var index = 0
    while let descriptor = connections.endedSession(index) {
      engine.close(SessionID(raw: descriptor), in: engine.openTurn(), now: now)
      gate.forget(descriptor, connections[descriptor].waiting)
      connections.close(descriptor, now: now)
      index += 1
    }
    connections.forgetEnded(index)
  }

  /// Some replies of the session wait for the turn's write.
  mutating func wait(_ count: Int, _ descriptor: Int32) {
    let replies = ConnectionsFixture.frame(count - Frame.headerLength)
    gate.note(.awaitsJournal)
    _ = replies.withByteView {
      gate.pass(
        $0, for: descriptor, &connections.slots[descriptor].waiting, ConnectionsFixture.standing)
    }
  }

  /// The turn was written.
  mutating func write() {
    while let (descriptor, bytes) = gate.nextWritten(&connections.slots, end: ConnectionsFixture.standing.end)
    {
      connections.send(bytes, to: descriptor, &engine)
      connections.noteReleased(descriptor)
    }
  }

  static let standing = JournalStanding(
    end: JournalPosition(raw: 10), durable: JournalPosition(raw: 10), confirms: true)

  static func frame(_ length: Int, _ fill: UInt8 = 7) -> [UInt8] {
    withUnsafeBytes(of: UInt32(length).littleEndian) { Array($0) }
      + [UInt8](repeating: fill, count: 8 + length)
  }

  /// Everything that has arrived at a client.
  static func read(_ client: Int32, atMost limit: Int = .max) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while all.count < limit {
      let count = Glibc.recv(client, &buffer, min(buffer.count, limit - all.count), 0)
      if count <= 0 { return all }
      all += buffer.prefix(count)
    }
    return all
  }

  static func hasEnded(_ client: Int32) -> Bool {
    var byte: UInt8 = 0
    return isOver(client, milliseconds: longestPoll) && Glibc.recv(client, &byte, 1, 0) == 0
  }

  /// Whether the other end is closed, in every process that had it.
  static func isOver(_ end: Int32, milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: end, events: 0, revents: 0)
    return poll(&waiting, 1, milliseconds) > 0 && waiting.revents & Int16(POLLHUP) != 0
  }

  func problems() -> [String] { connections.brokenInvariants() + gate.brokenInvariants(connections.slots) }
}
