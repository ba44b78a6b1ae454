// Wakes the loop from any thread, so that it does the Hub's work.

import NIOCore
import Synchronization

/// It retains only the loop.
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
