// What fork(2) means for connections: a child has its parent's descriptors, and must not use them. It owns the list of those that a
// child gives up, and counts the forks. It knows no protocol.

internal import CLinux
internal import Glibc
internal import Synchronization

/// Detected by pthread_atfork(3): processes that are started with posix_spawn(3) or execute another program are not affected.
package enum Fork {
  /// Rises by one in each child: an object that belongs to another generation is its parent's.
  package static var generation: UInt32 { ForkedSockets.shared.generation.load(ordering: .relaxed) }

  /// From now on a child has a socket without a connection in its place: the connection ends with this process.
  package static func detachInChild(_ socket: borrowing Descriptor) {
    ForkedSockets.shared.insert(socket.raw)
  }

  /// It is about to be closed.
  package static func forget(_ socket: borrowing Descriptor) { ForkedSockets.shared.remove(socket.raw) }
}

/// `@unchecked`: `sockets` is used only while `lock` is held, in a child by the thread that held it before the fork.
private final class ForkedSockets: @unchecked Sendable {
  static let shared = ForkedSockets()

  let generation = Atomic<UInt32>(0)
  /// As many as there are connections.
  private var sockets: [Int32] = []
  /// Not a `Mutex`: it is locked in one function and unlocked in another.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  private init() {
    pthread_mutex_init(lock, nil)
    pthread_atfork(
      { pthread_mutex_lock(ForkedSockets.shared.lock) }, { pthread_mutex_unlock(ForkedSockets.shared.lock) },
      { ForkedSockets.shared.becomeChild() })
  }

  func insert(_ socket: Int32) {
    pthread_mutex_lock(lock)
    sockets.append(socket)
    pthread_mutex_unlock(lock)
  }

  func remove(_ socket: Int32) {
    pthread_mutex_lock(lock)
    if let index = sockets.firstIndex(of: socket) { sockets.remove(at: index) }
    pthread_mutex_unlock(lock)
  }

  /// The numbers stay taken: their owners close them.
  private func becomeChild() {
    generation.wrappingAdd(1, ordering: .relaxed)
    let substitute = clinux_unix_stream()
    if substitute >= 0 {
      for socket in sockets {
        dup2(substitute, socket)
        Descriptor.setSurvivesExecution(false, of: socket)
      }
      close(substitute)
    }
    sockets = []
    pthread_mutex_unlock(lock)
  }
}
