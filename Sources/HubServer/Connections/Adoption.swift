// Connections in an image: adopted from the previous hub, and described for the next.

import HubCore
import HubEngine
import HubSystem

extension Connections {
  /// Adopts the connections of the previous hub. Must come first.
  mutating func adopt(_ image: ServerImage, _ engine: inout HubEngine) throws(ServerError) {
    for connection in image.connections {
      let descriptor = connection.descriptor
      slots.reach(descriptor)
      move(descriptor, to: connection.life)
      let user = engine.peer(of: SessionID(raw: descriptor)).uid
      engine.countConnection(SessionID(raw: descriptor), having: shares.sessions(of: user))
      slots[descriptor].user = shares.open(user)
      adoptBuffer(of: descriptor, &engine)
      connection.input.withByteView { slots[descriptor].input.append($0, budget: &budget) }
      connection.output.withByteView {
        slots[descriptor].output.append($0, cut: connection.cut, budget: &budget)
      }
      slots[descriptor].readsOn = connection.flags.contains(.sendsNoMore)
      let isExtra = connection.flags.contains(.isExtra)
      slots[descriptor].isExtra = isExtra
      admission.add(isExtra: isExtra)
      if image.poller < 0 {
        try ServerError.attempt("epoll_ctl", poller.add(descriptor))
      }
      // Causes the event again if the socket is writable: the previous hub may have seen it without having sent anything yet.
      if connection.life.flow?.isArmed == true { poller.setWriting(true, for: descriptor) }
      // The poller does not repeat an event that the previous hub has seen.
      if connection.flags.contains(.isReady) { addReady(descriptor) }
      if connection.flags.contains(.isYielding) { yielding.append(descriptor) }
    }
    hasYielding = !yielding.isEmpty
  }

  /// The connection must send hello before the deadline.
  mutating func awaitHello(of descriptor: Int32, before deadline: UInt64) {
    greetings.insert(descriptor, deadline: deadline)
  }

  /// What the next hub must know of the sessions. No connection is leaving now.
  func describe(in image: inout ServerImage, _ engine: borrowing HubEngine) {
    let yielding = Set(yielding + satisfied)
    for descriptor in sessions {
      let session = slots[descriptor]
      var connection = ServerImage.Connection(
        descriptor: descriptor, session, rest: session.rest.map { engine.bytes(of: $0).array } ?? [],
        helloDeadline: greetings.deadline(of: descriptor))
      if yielding.contains(descriptor) { connection.flags.insert(.isYielding) }
      image.connections.append(connection)
    }
  }

  /// Descriptors with a connection.
  var sessions: [Int32] { (0..<slots.limit).filter { slots[$0].life != .free } }
}

extension ServerImage.Connection {
  /// - Parameter rest: what is left of a long event. The next hub keeps it with its output.
  init(descriptor: Int32, _ session: borrowing Session, rest: [UInt8], helloDeadline: UInt64) {
    let flow = session.life.flow ?? .gone
    self.init(
      descriptor: descriptor, flow: flow == .blocked ? .blocked : flow == .gone ? .gone : .open,
      helloDeadline: helloDeadline, input: session.input.view.array,
      output: rest + session.output.view.array, cut: session.restOfCutFrame)
    if session.life.isOpen { flags.insert(.isOpen) }
    if session.attention.isListed { flags.insert(.isReady) }
    if flow.isArmed { flags.insert(.isArmed) }
    if session.readsOn { flags.insert(.sendsNoMore) }
    if session.isExtra { flags.insert(.isExtra) }
  }

  /// The stage of its life. An image does not record whether a finishing session got its last message; it is sent nothing more.
  var life: SessionLife {
    let now: SessionLife.Flow =
      switch flow {
      case .open: flags.contains(.isArmed) ? .easing : .open
      case .blocked: .blocked
      case .gone: .gone
      }
    return flags.contains(.isOpen) ? .open(now) : .dismissed(now)
  }
}
