// How connections end: what is still said, who is waited for, and closing, in one place.

import CLinux
import Glibc
import HubCore

extension Connections {
  /// How long a connection that was told why it ends may take to go, in nanoseconds.
  private static let leavingPatience: UInt64 = 1_000_000_000
  /// At most so many are waited for; beyond that the oldest is closed.
  private static let mostLeaving = 256

  /// The hub says its last word to the session, and reads nothing of it any more.
  mutating func dismiss(_ descriptor: Int32) {
    guard case .open(let flow) = slots[descriptor].life else { return }
    move(descriptor, to: .dismissed(flow))
  }

  /// The same for one of which nothing that was read is to be carried out either.
  mutating func silence(_ descriptor: Int32) {
    slots[descriptor].input.clear(budget: &budget)
    dismiss(descriptor)
  }

  /// A session that is finishing ends when everything for it has left.
  @inline(__always)
  mutating func endIfFinished(_ descriptor: Int32) {
    guard slots[descriptor].life.isFinishing, slots[descriptor].life.flow != .blocked,
      slots[descriptor].waiting.isEmpty
    else { return }
    end(descriptor)
  }

  /// Nothing more is done for the session; it is closed when nobody looks at it.
  mutating func end(_ descriptor: Int32) {
    switch slots[descriptor].life {
    case .open, .finishing: move(descriptor, to: .ended(isTold: false))
    case .dismissed: move(descriptor, to: .ended(isTold: true))
    case .free, .ended, .leaving: return
    }
  }

  /// Somebody has ended and is not closed.
  @inline(__always) var hasEnded: Bool { !ended.isEmpty }

  /// Who has ended, in that order, until `forgetEnded`.
  func endedSession(_ index: Int) -> Int32? { index < ended.count ? ended[index] : nil }

  /// Everybody who had ended is closed.
  mutating func forgetEnded() { ended.removeAll(keepingCapacity: true) }

  /// Closes a connection that has ended.
  mutating func close(_ descriptor: Int32, now: Instant) {
    greetings.remove(descriptor)
    let isTold = slots[descriptor].life == .ended(isTold: true)
    move(descriptor, to: .free)
    if isTold { letGo(descriptor, now: now) } else { hangUp(descriptor) }
  }

  /// Closes a connection that is no session any more, and was told why. Until the client goes it may still send what it was about
  /// to send: a write that fails would hide the reason from it.
  mutating func letGo(_ descriptor: Int32, now: Instant) {
    guard !isHurried, descriptor < slots.capacity else { return hangUp(descriptor) }
    slots.reach(descriptor)
    guard slots[descriptor].life == .free else { return hangUp(descriptor) }
    if leaving.count >= Connections.mostLeaving, let oldest = leaving.first {
      forget(leaving: oldest.descriptor)
    }
    shutdown(descriptor, Int32(SHUT_WR))
    move(descriptor, to: .leaving)
    leaving.insert(descriptor, deadline: now.boot + Connections.leavingPatience)
    discardInput(of: descriptor)
  }

  /// The client has sent more, or has gone. One read a turn, as for everybody.
  mutating func discardInput(of descriptor: Int32) {
    var isCut = false
    let count = inbox.receive(from: descriptor, isCut: &isCut)
    if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return forget(leaving: descriptor) }
    guard count > 0, slots[descriptor].attention != .ready else { return }
    slots[descriptor].attention = .ready
    ready.append(descriptor)
  }

  private mutating func forget(leaving descriptor: Int32) {
    leaving.remove(descriptor)
    move(descriptor, to: .free)
    hangUp(descriptor)
  }

  /// Closes those whose time to go by themselves is up.
  mutating func closeLeaving(before time: UInt64) {
    while let first = leaving.first, first.deadline <= time { forget(leaving: first.descriptor) }
  }

  /// Nobody is waited for any more.
  mutating func hurry() {
    isHurried = true
    closeLeaving(before: .max)
  }

  /// Closes a connection of which the client may not have said the last. Unread bytes would make the client's next read
  /// fail, and hide from it what it was told last: so they are read first.
  func hangUp(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
    inbox.discard(from: descriptor)
    Glibc.close(descriptor)
  }
}
