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
      engine.countConnection(SessionID(raw: descriptor), having: shares.sessions(of: connection.peer.uid))
      slots[descriptor].user = shares.open(connection.peer.uid)
      adoptBuffer(of: descriptor)
      connection.input.withByteView { slots[descriptor].input.append($0, budget: &budget) }
      connection.output.withByteView {
        slots[descriptor].output.append($0, cut: connection.cut, budget: &budget)
      }
      slots[descriptor].readsOn = connection.sendsNoMore
      slots[descriptor].isExtra = connection.isExtra
      slots[descriptor].cost = engine.cost(of: SessionID(raw: descriptor))
      admission.add(isExtra: connection.isExtra)
      if image.poller == nil {
        try ServerError.attempt("epoll_ctl", poller.add(descriptor))
      }
      // Raises the event once more if the socket is writable: the previous hub may have seen it, and not yet sent.
      if connection.life.flow?.isArmed == true { poller.setWriting(true, for: descriptor) }
    }
    for descriptor in image.ready { addReady(descriptor) }
    yielding = image.yielding
    hasYielding = !yielding.isEmpty
  }

  /// The connection has until the deadline to say hello.
  mutating func awaitHello(of descriptor: Int32, before deadline: UInt64) {
    greetings.insert(descriptor, deadline: deadline)
  }

  /// What the next hub must know of the sessions. No connection is leaving now.
  func describe(in image: inout ServerImage, _ engine: borrowing HubEngine) {
    for descriptor in sessions {
      let session = slots[descriptor]
      image.connections.append(
        ServerImage.Connection(
          descriptor: descriptor, peer: engine.peer(of: SessionID(raw: descriptor)), session,
          rest: session.rest.map { engine.bytes(of: $0).array } ?? [],
          helloDeadline: greetings.deadline(of: descriptor)))
    }
    image.ready = ready.all.filter { slots[$0].attention.isListed }
    image.yielding = (yielding + satisfied).filter { slots[$0].life != .free }
  }

  /// Descriptors with a connection.
  var sessions: [Int32] { (0..<slots.limit).filter { slots[$0].life != .free } }
}

extension ServerImage.Connection {
  /// - Parameter rest: what is left of a long event. The next hub keeps it with its output.
  init(
    descriptor: Int32, peer: Peer, _ session: borrowing Session, rest: [UInt8], helloDeadline: UInt64
  ) {
    let flow = session.life.flow ?? .gone
    self.init(
      descriptor: descriptor, peer: peer, state: session.life.isOpen ? .open : .finishing,
      flow: flow == .blocked ? .blocked : flow == .gone ? .gone : .open,
      isReady: session.attention.isListed, isArmed: flow.isArmed, sendsNoMore: session.readsOn,
      isExtra: session.isExtra, helloDeadline: helloDeadline, input: session.input.view.array,
      output: rest + session.output.view.array, cut: session.restOfCutFrame)
  }

  /// The stage of its life. An image does not say whether a finishing session got its last message; it is sent nothing more.
  var life: SessionLife {
    let now: SessionLife.Flow =
      switch flow {
      case .open: isArmed ? .easing : .open
      case .blocked: .blocked
      case .gone: .gone
      }
    return state == .open ? .open(now) : .dismissed(now)
  }
}
