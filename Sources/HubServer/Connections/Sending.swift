// Bytes to clients: sent immediately if the socket accepts them, otherwise queued until it does.

import HubCore
import HubEngine
import HubSystem

extension Connections {
  /// Sends whole frames to a session, or queues them after what waits for it.
  @inline(__always)
  mutating func send(_ bytes: ByteView, to descriptor: Int32, _ engine: inout HubEngine) {
    if bytes.isEmpty { return }
    switch slots[descriptor].life.flow {
    case .open, .easing:
      if let cut = Socket.sendWhole(bytes.buffer, to: descriptor) {
        keep(bytes, for: descriptor, cut.count, &engine)
      }
    case .blocked:
      slots[descriptor].output.append(bytes, budget: &budget)
      noteOutput(of: descriptor, &engine)
    case .gone, nil: break
    }
  }

  /// The socket took only part of it; nil: it accepts nothing more.
  private mutating func keep(
    _ bytes: ByteView, for descriptor: Int32, _ sent: Int?, _ engine: inout HubEngine
  ) {
    guard let sent else { return lose(descriptor, &engine) }
    let cut = FrameCursor.frame(upTo: sent, in: bytes)
    let rest = bytes.suffix(from: sent)
    engine.pauseDelivery(to: SessionID(raw: descriptor))
    if cut.upperBound == bytes.count, rest.count >= Connections.longRest,
      let held = engine.holdRest(rest.count, of: FrameView(bytes: bytes.slice(cut.lowerBound, cut.count)))
    {
      return block(descriptor, rest: held, &engine)
    }
    block(descriptor, rest: rest, cut: cut.upperBound - sent, &engine)
  }

  /// So much of a reply is not copied, if it is in a store.
  private static let longRest = 32 << 10

  /// Whether the session can be sent events now.
  @inline(__always)
  func takesEvents(_ descriptor: Int32) -> Bool {
    switch slots[descriptor].life {
    case .open(.open), .open(.easing): true
    default: false
    }
  }

  /// The socket takes no more: the session's bytes are queued until it does.
  ///
  /// - Parameters:
  ///   - rest: what it did not take.
  ///   - cut: how much of `rest` belongs to a frame whose front was taken.
  mutating func block(_ descriptor: Int32, rest: ByteView, cut: Int, _ engine: inout HubEngine) {
    slots[descriptor].output.append(rest, cut: cut, budget: &budget)
    block(descriptor, &engine)
  }

  /// The same with what is left of a long event, or of a long value.
  mutating func block(_ descriptor: Int32, rest: FrameRest, _ engine: inout HubEngine) {
    slots[descriptor].rest = rest
    block(descriptor, &engine)
  }

  private mutating func block(_ descriptor: Int32, _ engine: inout HubEngine) {
    setFlow(.blocked, of: descriptor)
    noteOutput(of: descriptor, &engine)
    // If the socket has become writable in the meantime, this causes the event.
    poller.setWriting(true, for: descriptor)
  }

  /// The socket takes bytes again. While users compete, what waits is sent in a step, which its user pays for. Else it is sent
  /// at once, before new requests: this serves clients that read long values. A session that is closing takes no more steps.
  mutating func noteWritable(_ descriptor: Int32, _ engine: inout HubEngine) {
    guard shares.areDivided, slots[descriptor].life == .open(.blocked) else {
      return resumeOutput(of: descriptor, &engine)
    }
    addReady(descriptor)
    slots[descriptor].attention = .sending
  }

  /// The socket takes bytes again, or a write will report why it never will.
  mutating func resumeOutput(of descriptor: Int32, _ engine: inout HubEngine) {
    switch slots[descriptor].life.flow {
    case .blocked: break
    case .easing:
      setFlow(.open, of: descriptor)
      return poller.setWriting(false, for: descriptor)
    case .open, .gone, nil: return
    }
    enlargeBuffer(of: descriptor, &engine)
    let wasPaused = slots[descriptor].isPaused
    if !sendRest(of: descriptor, &engine) { return }
    let output = slots[descriptor].output.view
    if !output.isEmpty {
      guard let sent = Socket.send(output.buffer, to: descriptor).count else {
        return lose(descriptor, &engine)
      }
      if sent == 0 { return }
      slots[descriptor].output.dropFirst(sent, budget: &budget)
      noteOutput(of: descriptor, &engine)
    }
    if slots[descriptor].output.isEmpty {
      setFlow(.easing, of: descriptor)
      endIfFinished(descriptor)
      if case .ended = slots[descriptor].life { return }
      engine.resumeDelivery(to: SessionID(raw: descriptor))
    }
    if wasPaused, !slots[descriptor].isPaused { addReady(descriptor) }
  }

  /// Continues with a long event, or a long value.
  ///
  /// - Returns: whether nothing is left of it.
  private mutating func sendRest(of descriptor: Int32, _ engine: inout HubEngine) -> Bool {
    guard let rest = slots[descriptor].rest else { return true }
    guard let sent = Socket.send(engine.bytes(of: rest).buffer, to: descriptor).count else {
      lose(descriptor, &engine)
      return false
    }
    slots[descriptor].rest?.dropFirst(sent)
    if sent == rest.count { slots[descriptor].rest = nil }
    noteOutput(of: descriptor, &engine)
    return sent == rest.count
  }

  mutating func clearOutput(of descriptor: Int32) {
    slots[descriptor].rest = nil
    slots[descriptor].output.clear(budget: &budget)
  }

  /// The client is gone, and nothing can be sent to it. Its earlier requests are still executed.
  mutating func lose(_ descriptor: Int32, _ engine: inout HubEngine) {
    setFlow(.gone, of: descriptor)
    clearOutput(of: descriptor)
    noteOutput(of: descriptor, &engine)
    engine.pauseDelivery(to: SessionID(raw: descriptor))
    if slots[descriptor].life.isFinishing { end(descriptor) }
    addReady(descriptor)
  }

  private func noteOutput(of descriptor: Int32, _ engine: inout HubEngine) {
    engine.setUnsent(slots[descriptor].unsent, of: SessionID(raw: descriptor))
    engine.monitoring.counters.unsentBytes = UInt64(budget.used)
  }

  /// The session continues with its events in the next turn.
  ///
  /// - Parameter hadEnough: it had some in this one, so it comes after those that had none.
  mutating func yield(_ descriptor: Int32, hadEnough: Bool) {
    if hadEnough { satisfied.append(descriptor) } else { yielding.append(descriptor) }
    hasYielding = true
  }

  /// Sessions that spent their budget in the last turn are due again.
  @inline(__always)
  mutating func resumeYielding(_ engine: inout HubEngine) {
    if hasYielding { releaseYielding(&engine) }
  }

  private mutating func releaseYielding(_ engine: inout HubEngine) {
    hasYielding = false
    yielding.append(contentsOf: satisfied)
    satisfied.removeAll(keepingCapacity: true)
    for descriptor in yielding where takesEvents(descriptor) {
      engine.resumeDelivery(to: SessionID(raw: descriptor))
    }
    yielding.removeAll(keepingCapacity: true)
  }

  /// Drops everything queued for the session, except the rest of a frame whose front the client has.
  mutating func keepCutFrame(of descriptor: Int32) {
    slots[descriptor].output.keepCutFrame(budget: &budget)
  }
}
