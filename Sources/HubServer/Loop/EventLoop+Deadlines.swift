// Connections whose time is up: those that have not said hello, and those that were told why they end and do not go. Nothing here
// costs a turn anything, unless the timer has gone off.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  /// How long a connection that was told why it ends may take to go, in nanoseconds.
  private static let leavingPatience: UInt64 = 1_000_000_000
  /// At most so many are waited for; beyond that the oldest is closed.
  private static let mostLeaving = 256

  /// The timer has gone off: somebody's time may be up.
  mutating func expireSessions() {
    isTimerDue = false
    expireGreetings()
    while let first = leaving.first {
      guard first.deadline <= now.boot else {
        timer.arm(for: first.deadline)
        break
      }
      forget(leaving: first.descriptor)
    }
  }

  // MARK: Hello

  /// From now on the connection has so long to say hello.
  mutating func awaitHello(of descriptor: Int32, until deadline: UInt64) {
    greetings.insert(descriptor, deadline: deadline)
    timer.arm(for: deadline)
  }

  /// Those that have said hello leave the list here, or when they end.
  private mutating func expireGreetings() {
    while let first = greetings.first {
      let descriptor = first.descriptor
      let isDue = first.deadline <= now.boot
      guard isDue || !isAwaitingHello(descriptor) else { return timer.arm(for: first.deadline) }
      greetings.remove(descriptor)
      guard isAwaitingHello(descriptor) else { continue }
      // What has arrived in time counts, although nobody has looked at it yet.
      markReady(descriptor)
      serve(descriptor)
      if isAwaitingHello(descriptor) { dismissSilent(descriptor) }
    }
  }

  private mutating func isAwaitingHello(_ descriptor: Int32) -> Bool {
    sessions[descriptor].state == .open && engine.isGreeting(SessionID(raw: descriptor))
  }

  private mutating func dismissSilent(_ descriptor: Int32) {
    let limit = "\(options.helloMilliseconds) ms (helloMilliseconds)"
    Reply.error(HubError(.helloExpected, "the connection has not said hello within \(limit)"))
      .encode(into: &replies, request: 0)
    sessions[descriptor].input.clear(budget: &budget)
    finish(descriptor)
    flushReplies(to: descriptor)
    endIfFinished(descriptor)
  }

  // MARK: Going

  /// Closes a connection that the hub has ended, and told why. Until the client goes it may still send what it was about to
  /// send: a write that fails would hide the reason from it.
  mutating func letGo(_ descriptor: Int32) {
    guard !isStopping, sessions.isFree(descriptor) else { return hangUp(descriptor) }
    if leaving.count >= EventLoop.mostLeaving, let oldest = leaving.first {
      forget(leaving: oldest.descriptor)
    }
    shutdown(descriptor, Int32(SHUT_WR))
    sessions.leave(descriptor)
    leaving.insert(descriptor, deadline: now.boot + EventLoop.leavingPatience)
    timer.arm(for: now.boot + EventLoop.leavingPatience)
    discardInput(of: descriptor)
  }

  /// The client has sent more, or has gone. One read a turn, as for everybody.
  mutating func discardInput(of descriptor: Int32) {
    var isCut = false
    let count = inbox.receive(from: descriptor, isCut: &isCut)
    if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return forget(leaving: descriptor) }
    guard count > 0, !sessions[descriptor].isReady else { return }
    sessions[descriptor].isReady = true
    ready.append(descriptor)
  }

  private mutating func forget(leaving descriptor: Int32) {
    leaving.remove(descriptor)
    sessions.free(descriptor)
    hangUp(descriptor)
  }

  /// Nobody is waited for any more.
  mutating func closeLeaving() {
    while let first = leaving.first { forget(leaving: first.descriptor) }
  }
}
