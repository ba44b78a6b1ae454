// Bytes from clients: read where they are executed, and kept only while a frame is not whole or requests wait.

import HubCore
import HubSystem

extension Connections {
  /// Reads the available bytes.
  ///
  /// - Returns: the bytes, valid until the next read of any session; nil: none.
  @inline(__always)
  mutating func read(_ descriptor: Int32) -> ByteView? {
    var isCut = false
    let result = inbox.receive(from: descriptor, isCut: &isCut)
    guard case .bytes(let count) = result else {
      noteNothingRead(of: descriptor, result)
      return nil
    }
    // A shorter read has emptied the socket, and further bytes cause another event; unless the read ended at a descriptor that
    // was sent, or at something else that may have been announced together with these bytes.
    if count == Inbox.capacity || isCut || slots[descriptor].readsOn { addReady(descriptor) }
    return inbox.view(count)
  }

  /// Reads up to `needed` bytes after those that are kept for the session.
  ///
  /// - Returns: how many it read; nil: none.
  mutating func readMore(_ descriptor: Int32, needed: Int) -> Int? {
    // Memory grows with what has arrived, not with what a header announces.
    let room = min(needed, max(slots[descriptor].input.count, Inbox.capacity))
    var isCut = false
    let result = slots[descriptor].input.fill(room: room, budget: &budget) {
      Socket.receive(from: descriptor, into: $0, isCut: &isCut)
    }
    guard case .bytes(let count) = result else {
      noteNothingRead(of: descriptor, result)
      return nil
    }
    if count == room || isCut || slots[descriptor].readsOn { addReady(descriptor) }
    return count
  }

  private mutating func noteNothingRead(of descriptor: Int32, _ result: Transfer) {
    switch result {
    case .bytes, .wouldBlock: break
    case .failed: end(descriptor)
    case .ended:
      guard case .open(let flow) = slots[descriptor].life else { return }
      move(descriptor, to: .finishing(flow))
    }
  }

  /// Keeps bytes that were read and are not yet executed.
  mutating func keepInput(_ bytes: ByteView, of descriptor: Int32) {
    guard slots[descriptor].life.isOpen else { return }
    slots[descriptor].input.append(bytes, budget: &budget)
  }

  /// This many of the kept bytes were executed.
  mutating func dropInput(_ count: Int, of descriptor: Int32) {
    slots[descriptor].input.dropFirst(count, budget: &budget)
  }
}
