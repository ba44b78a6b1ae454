// What happens to a connection, step by step.

import Glibc
import HubCore
import HubSystem
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Connections")
struct ConnectionsTests {
  @Test("a session gets what it is sent at once, and nothing is kept for it")
  func sends() throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    hub.send(ConnectionsFixture.frame(5), to: session)
    #expect(ConnectionsFixture.read(client) == ConnectionsFixture.frame(5))
    #expect(hub.connections[session].life == .open(.open) && hub.connections.budget.used == 0)
    #expect(hub.problems().isEmpty)
  }

  @Test("what a socket does not take waits, and arrives whole and in order when it does again")
  func blocks() throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    var sent = hub.block(session)
    #expect(hub.connections[session].life == .open(.blocked) && !hub.connections.takesEvents(session))
    sent += ConnectionsFixture.frame(3)
    hub.send(ConnectionsFixture.frame(3), to: session)
    #expect(hub.connections.budget.used > 0 && hub.problems().isEmpty)
    var received: [UInt8] = []
    while hub.connections[session].life == .open(.blocked) {
      received += ConnectionsFixture.read(client)
      hub.resume(session)
    }
    received += ConnectionsFixture.read(client)
    #expect(received == sent)
    #expect(hub.connections[session].life == .open(.easing) && hub.connections.takesEvents(session))
    hub.resume(session)
    #expect(hub.connections[session].life == .open(.open) && hub.connections.budget.used == 0)
    #expect(hub.problems().isEmpty)
  }

  @Test("the kernel keeps little for a client that reads nothing, and much for one that reads what filled it")
  func buffers() throws {
    // Four large ones, of which a user may have two.
    var hub = try ConnectionsFixture(bufferBytes: 0)
    var large: [Int32] = []
    for user: UInt32 in [1000, 1000, 1000, 1001, 1001, 1002] { large += fill(&hub, user) }
    #expect(hub.connections.sendBuffers.count == 4 && large.count == 4)
    // For the engine, all are connections of user 1.
    #expect(hub.engine.stores.accounts[1].bytes == 4 * 224 << 10)
    hub.connections.end(large[0])
    hub.closeEnded()
    #expect(hub.connections.sendBuffers.count == 3 && hub.problems().isEmpty)
    #expect(hub.engine.stores.accounts[1].bytes == 3 * 224 << 10)
    #expect(fill(&hub, 1002).count == 1)
  }

  @Test(
    "a user with half of its memory in use gets no large send buffers, so that they never cause a refusal")
  func halfUsed() throws {
    var hub = try ConnectionsFixture()
    hub.engine.stores.accounts.add(Charge(kind: .stores, bytes: 64 << 20, uid: 1))
    #expect(fill(&hub, 1000).isEmpty)
    hub.engine.stores.accounts.refund(Charge(kind: .stores, bytes: 224 << 10, uid: 1))
    #expect(fill(&hub, 1000).count == 1 && fill(&hub, 1000).isEmpty)
  }

  /// A client of the user's reads what has filled its buffer.
  ///
  /// - Returns: the session, if it has a large buffer then.
  private func fill(_ hub: inout ConnectionsFixture, _ user: UInt32) -> [Int32] {
    let (session, client) = hub.connect(as: user)
    let sent = hub.block(session)
    #expect(sent.count - hub.connections[session].unsent < 10_000)
    #expect(Socket.sendBuffer(of: session) == 2 * SendBuffers.small)
    _ = ConnectionsFixture.read(client)
    hub.resume(session)
    let isLarge = hub.connections[session].hasLargeBuffer
    #expect((Socket.sendBuffer(of: session) > 100_000) == isLarge && hub.problems().isEmpty)
    return isLarge ? [session] : []
  }

  @Test("a session that reads again after it was paused is served again")
  func unpauses() throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    _ = hub.block(session)
    for _ in 0..<4 { hub.send(ConnectionsFixture.frame(30_000), to: session) }
    hub.connections.addReady(session)
    #expect(hub.begin(session) == false)
    #expect(hub.connections[session].attention == .idle)
    _ = ConnectionsFixture.read(client)
    hub.resume(session)
    #expect(hub.connections[session].attention == .ready && hub.begin(session))
  }

  @Test(
    "what waits is sent when the socket takes it, while users compete in a step", arguments: [false, true])
  func writable(competing: Bool) throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    if competing { _ = hub.connect(as: 1001) }
    let sent = hub.block(session)
    let unsent = hub.connections[session].unsent
    let first = ConnectionsFixture.read(client, atMost: sent.count - unsent)
    hub.noteWritable(session)
    #expect(hub.hasWork == competing && hub.connections[session].unsent == (competing ? unsent : 0))
    #expect(hub.begin(session) == competing)
    #expect(first + ConnectionsFixture.read(client, atMost: unsent) == sent)
    #expect(hub.problems().isEmpty)
  }

  @Test("a client that has gone gets nothing more, and its requests are still carried out")
  func gone() throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    let written = Glibc.send(client, [1, 2, 3] as [UInt8], 3, 0)
    #expect(written == 3)
    hub.ends.close(client)
    hub.send(ConnectionsFixture.frame(1), to: session)
    #expect(hub.connections[session].life == .open(.gone) && hub.connections[session].attention == .ready)
    #expect(hub.begin(session) == true)
    #expect(hub.read(session) == [1, 2, 3])
    #expect(hub.read(session) == nil)
    #expect(hub.connections[session].life == .finishing(.gone))
    hub.connections.endIfFinished(session)
    #expect(hub.connections[session].life == .ended(isTold: false) && hub.hasWork)
    hub.closeEnded()
    #expect(hub.connections[session].life == .free && hub.connections.count == 0)
    #expect(hub.problems().isEmpty)
  }

  @Test("a session that sends nothing more ends when all that waits for it has left, and not before")
  func finishes() throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    var sent = hub.block(session)
    hub.wait(40, session)
    shutdown(client, Int32(SHUT_WR))
    #expect(hub.read(session) == nil)
    hub.connections.endIfFinished(session)
    #expect(hub.connections[session].life == .finishing(.blocked))
    sent += ConnectionsFixture.read(client)
    hub.resume(session)
    while hub.connections[session].life == .finishing(.blocked) {
      _ = ConnectionsFixture.read(client)
      hub.resume(session)
    }
    #expect(hub.connections[session].life == .finishing(.easing), "replies wait at the gate")
    _ = ConnectionsFixture.read(client)
    hub.write()
    #expect(hub.connections[session].life == .ended(isTold: false))
    #expect(ConnectionsFixture.read(client) == ConnectionsFixture.frame(28))
    hub.closeEnded()
    #expect(hub.problems().isEmpty)
  }

  @Test("a client that was told why it ends hears that last, and may go by itself")
  func leaves() throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    hub.connections.silence(session)
    hub.send(ConnectionsFixture.frame(9), to: session)
    hub.connections.endIfFinished(session)
    #expect(hub.connections[session].life == .ended(isTold: true))
    hub.closeEnded()
    #expect(hub.connections[session].life == .leaving && hub.connections.count == 0)
    let written = Glibc.send(client, [1] as [UInt8], 1, Int32(MSG_NOSIGNAL))
    #expect(written == 1, "what it was about to send does not fail")
    #expect(ConnectionsFixture.read(client) == ConnectionsFixture.frame(9))
    #expect(hub.problems().isEmpty)
    hub.ends.close(client)
    hub.connections.noteReadable(session)
    // Another read reports the end.
    hub.connections.noteReadable(session)
    #expect(hub.connections[session].life == .free)
    #expect(hub.problems().isEmpty)
  }

  @Test("a client that does not go is closed when its time is up, and at once by a hub that stops")
  func leavesLate() throws {
    var hub = try ConnectionsFixture()
    let (first, client) = hub.pair()
    hub.connections.letGo(first, now: hub.now)
    let deadline = hub.connections.nextDeadline
    hub.connections.closeLeaving(before: deadline - 1)
    #expect(hub.connections[first].life == .leaving)
    hub.connections.closeLeaving(before: deadline)
    #expect(hub.connections[first].life == .free && ConnectionsFixture.hasEnded(client))
    let (second, _) = hub.pair()
    hub.connections.letGo(second, now: hub.now)
    hub.connections.hurry()
    #expect(hub.connections[second].life == .free && hub.connections.nextDeadline == .max)
    #expect(hub.problems().isEmpty)
  }

  @Test("no more than 256 connections are waited for")
  func leavers() throws {
    var hub = try ConnectionsFixture()
    var all: [Int32] = []
    for _ in 0..<258 {
      let (descriptor, _) = hub.pair()
      all.append(descriptor)
      hub.connections.letGo(descriptor, now: hub.now)
      hub.now.boot += 1
    }
    // The number of a closed connection may have been reused.
    #expect(hub.connections.sessions.count == 256)
    #expect(hub.problems().isEmpty)
  }

  @Test("requests wait while too many replies do at the gate, and continue when those have left")
  func halts() throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    hub.wait(Session.pauseLimit + 1, session)
    hub.connections.addReady(session)
    #expect(hub.begin(session) == false)
    #expect(hub.connections[session].attention == .halted && !hub.hasWork)
    hub.write()
    var count = ConnectionsFixture.read(client).count
    while hub.connections[session].life == .open(.blocked) {
      hub.resume(session)
      count += ConnectionsFixture.read(client).count
    }
    #expect(count == Session.pauseLimit + 1)
    #expect(hub.connections[session].attention == .ready && hub.hasWork)
    #expect(hub.problems().isEmpty)
  }

  @Test("a session that is not served in a turn is served first in the next")
  func order() throws {
    var hub = try ConnectionsFixture()
    let sessions = [hub.connect().hub, hub.connect().hub, hub.connect().hub]
    for session in sessions { hub.connections.addReady(session) }
    hub.connections.addReady(sessions[0])
    hub.connections.beginServing()
    let first = hub.connections.nextReady()
    #expect(first == sessions[0])
    let begins = hub.connections.beginStep(sessions[0])
    #expect(begins)
    hub.connections.addReady(sessions[0])
    hub.connections.endServing()
    hub.connections.beginServing()
    var served: [Int32] = []
    while let session = hub.connections.nextReady() { served.append(session) }
    hub.connections.endServing()
    #expect(served == [sessions[1], sessions[2], sessions[0]])
    #expect(hub.hasWork == false)
  }

  @Test(
    "the sessions that make the hub keep something are named once, those that make it keep the most first")
  func heaviest() throws {
    var hub = try ConnectionsFixture(heldBytes: 100)
    let (light, heavy) = (hub.connect().hub, hub.connect().hub)
    _ = hub.connect()
    [UInt8](repeating: 1, count: 50).withByteView { hub.connections.keepInput($0, of: light) }
    #expect(!hub.connections.budget.isExceeded(with: 0))
    [UInt8](repeating: 1, count: 70).withByteView { hub.connections.keepInput($0, of: heavy) }
    #expect(hub.connections.budget.isExceeded(with: 0))
    var heaviest = hub.connections.slots.heaviest()
    let order = [heaviest.next(), heaviest.next(), heaviest.next()]
    #expect(order == [heavy, light, nil])
    hub.connections.end(heavy)
    #expect(!hub.connections.budget.isNearlyExceeded(with: 43) && hub.connections.budget.used == 50)
    #expect(hub.connections.budget.isNearlyExceeded(with: 45))
    #expect(hub.problems().isEmpty)
  }

  @Test("many sessions of one user that keep little do not end another's that keeps more than each of them")
  func heaviestUser() throws {
    var hub = try ConnectionsFixture(heldBytes: 250)
    let other = hub.connect(as: 1001).hub
    let many = (0..<5).map { _ in hub.connect(as: 1002).hub }
    [UInt8](repeating: 1, count: 90).withByteView { hub.connections.keepInput($0, of: other) }
    for (index, session) in many.enumerated() {
      [UInt8](repeating: 1, count: 30 + index).withByteView { hub.connections.keepInput($0, of: session) }
    }
    #expect(hub.connections.budget.used == 250 && !hub.connections.budget.isExceeded(with: 0))
    [UInt8](repeating: 1, count: 10).withByteView { hub.connections.keepInput($0, of: many[2]) }
    #expect(hub.connections.budget.isExceeded(with: 0))
    var heaviest = hub.connections.slots.heaviest()
    var order: [Int32] = []
    while let next = heaviest.next() { order.append(next) }
    // The one user has 170 bytes and then fewer, the other 90.
    #expect(order.prefix(3) == [many[2], many[4], many[3]] && Set(order) == Set(many + [other]))
    #expect(order.firstIndex(of: other) == 3)
  }

  @Test(
    "the next hub knows from the image whether a session takes bytes, and whether its socket is watched for that"
  )
  func image() throws {
    var hub = try ConnectionsFixture()
    let (session, client) = hub.connect()
    func expectKept(_ life: SessionLife) {
      let image = ServerImage.Connection(
        descriptor: session, hub.connections.slots[session], rest: [], helloDeadline: 0)
      #expect(hub.connections[session].life == life)
      #expect(image.life == life)
      #expect(image.flags.contains(.isArmed) == (life == .open(.easing) || life == .open(.blocked)))
    }
    expectKept(.open(.open))
    _ = hub.block(session)
    expectKept(.open(.blocked))
    while hub.connections[session].life == .open(.blocked) {
      _ = ConnectionsFixture.read(client)
      hub.resume(session)
    }
    expectKept(.open(.easing))
    hub.resume(session)
    expectKept(.open(.open))
  }

  @Test("a life goes the ways that are drawn, and no other")
  func lives() {
    let flows: [SessionLife.Flow] = [.open, .easing, .blocked, .gone]
    let all: [SessionLife] =
      [.free, .leaving, .ended(isTold: false), .ended(isTold: true)]
      + flows.flatMap { [.open($0), .finishing($0), .dismissed($0)] }
    for life in all {
      #expect(!life.mayBecome(life))
      #expect(
        life.mayBecome(.free) == (life == .leaving || !life.isOpen && life.isSession && !life.isFinishing))
      #expect(life.mayBecome(.leaving) == (life == .free))
      #expect(
        life.mayBecome(.ended(isTold: true)) == (life.isFinishing && life.with(.open) == .dismissed(.open)))
      for next in all where life.mayBecome(next) {
        if next.isOpen { #expect(life.isOpen || life == .free, "nobody comes back") }
        if life.flow == .gone, let flow = next.flow {
          #expect(flow == .gone, "nobody who has gone comes back")
        }
        if life.isFinishing { #expect(!next.isOpen) }
        if !life.isSession, life != .free { #expect(next == .free) }
      }
    }
  }
}
