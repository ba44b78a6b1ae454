// What a Hub rings from any thread: the loop takes its turn then.

import NIOCore
import Synchronization

/// It keeps nobody alive but the loop.
final class Bell: Sendable {
  private struct Listener {
    weak var carrier: Carrier?
  }

  private let eventLoop: any EventLoop
  private let listener = Mutex(Listener())

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func connect(_ carrier: Carrier) { listener.withLock { $0.carrier = carrier } }

  func ring() {
    eventLoop.execute { [self] in
      let carrier = listener.withLock { $0.carrier }
      carrier?.turn()
    }
  }
}
