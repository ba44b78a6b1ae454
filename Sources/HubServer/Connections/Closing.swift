// How connections end: sending the rest, waiting for the client, and closing.

import HubCore
import HubSystem

extension Connections {
  /// How long a connection may take to close after it got the reason, in nanoseconds.
  private static let leavingPatience: UInt64 = 1_000_000_000
  /// The most connections to wait for; beyond that the oldest is closed.
  private static let mostLeaving = 256

  /// Reads nothing more from the session; the next message to it is the last.
  mutating func dismiss(_ descriptor: Int32) {
    guard case .open(let flow) = slots[descriptor].life else { return }
    move(descriptor, to: .dismissed(flow))
  }

  /// The same, and discards what was read but not executed.
  mutating func silence(_ descriptor: Int32) {
    slots[descriptor].input.clear(budget: &budget)
    dismiss(descriptor)
  }

  /// Ends a finishing session once everything for it was sent.
  @inline(__always)
  mutating func endIfFinished(_ descriptor: Int32) {
    guard slots[descriptor].life.isFinishing, slots[descriptor].life.flow != .blocked,
      slots[descriptor].waiting.isEmpty
    else { return }
    end(descriptor)
  }

  /// Nothing more is done for the session; it is closed when no code is using it.
  mutating func end(_ descriptor: Int32) {
    switch slots[descriptor].life {
    case .open, .finishing: move(descriptor, to: .ended(isTold: false))
    case .dismissed: move(descriptor, to: .ended(isTold: true))
    case .free, .ended, .leaving: return
    }
  }

  /// Whether sessions have ended and are not closed.
  @inline(__always) var hasEnded: Bool { !ended.isEmpty }

  /// The ended sessions, in that order, until `forgetEnded`.
  func endedSession(_ index: Int) -> Int32? { index < ended.count ? ended[index] : nil }

  /// The first of the ended sessions are closed, except for one of which something is left.
  mutating func forgetEnded(_ count: Int) { ended.removeFirst(count) }

  /// Closes a connection that has ended.
  mutating func close(_ descriptor: Int32, now: Instant) {
    greetings.remove(descriptor)
    let isTold = slots[descriptor].life == .ended(isTold: true)
    move(descriptor, to: .free)
    if isTold { letGo(descriptor, now: now) } else { hangUp(descriptor) }
  }

  /// Closes a connection that is no longer a session, and got the reason. Until the client closes, it may still send
  /// what it was about to send: a failing write would hide the reason from it.
  mutating func letGo(_ descriptor: Int32, now: Instant) {
    guard !isHurried, descriptor < slots.capacity else { return hangUp(descriptor) }
    slots.reach(descriptor)
    guard slots[descriptor].life == .free else { return hangUp(descriptor) }
    if leaving.count >= Connections.mostLeaving, let oldest = leaving.first {
      forget(leaving: oldest.descriptor)
    }
    Socket.endSending(descriptor)
    move(descriptor, to: .leaving)
    leaving.insert(descriptor, deadline: now.boot + Connections.leavingPatience)
    discardInput(of: descriptor)
  }

  /// The client has sent more, or has closed. One read per turn, as for every session.
  mutating func discardInput(of descriptor: Int32) {
    var isCut = false
    switch inbox.receive(from: descriptor, isCut: &isCut) {
    case .ended, .failed: forget(leaving: descriptor)
    case .wouldBlock: break
    case .bytes:
      if slots[descriptor].attention.isListed { return }
      slots[descriptor].attention = .ready
      ready.append(descriptor)
    }
  }

  private mutating func forget(leaving descriptor: Int32) {
    leaving.remove(descriptor)
    move(descriptor, to: .free)
    hangUp(descriptor)
  }

  /// Closes connections whose time to close by themselves is up.
  mutating func closeLeaving(before time: UInt64) {
    while let first = leaving.first, first.deadline <= time { forget(leaving: first.descriptor) }
  }

  /// Stops waiting for clients.
  mutating func hurry() {
    isHurried = true
    closeLeaving(before: .max)
  }

  /// Closes a connection whose client may have sent more. Unread bytes would make the client's next read fail, and hide the
  /// hub's last message: so they are read first.
  func hangUp(_ descriptor: Int32) {
    Socket.end(descriptor)
    inbox.discard(from: descriptor)
    Descriptor.close(descriptor)
  }
}
