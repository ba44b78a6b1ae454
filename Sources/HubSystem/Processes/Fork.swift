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
  /// As many as there are connections. In plain memory: an array would make the Swift runtime build a type at the start of a
  /// program that has none of its kind, and in a child memory must not be freed.
  private var sockets = UnsafeMutablePointer<Int32>.allocate(capacity: 8)
  private var (count, capacity) = (0, 8)
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
    if count == capacity { grow() }
    sockets[count] = socket
    count += 1
    pthread_mutex_unlock(lock)
  }

  private func grow() {
    let wider = UnsafeMutablePointer<Int32>.allocate(capacity: 2 * capacity)
    wider.moveInitialize(from: sockets, count: count)
    sockets.deallocate()
    (sockets, capacity) = (wider, 2 * capacity)
  }

  func remove(_ socket: Int32) {
    pthread_mutex_lock(lock)
    if let index = (0..<count).first(where: { sockets[$0] == socket }) {
      count -= 1
      sockets[index] = sockets[count]
    }
    pthread_mutex_unlock(lock)
  }

  /// The numbers stay taken: their owners close them.
  private func becomeChild() {
    generation.wrappingAdd(1, ordering: .relaxed)
    let substitute = clinux_unix_stream()
    if substitute >= 0 {
      for index in 0..<count {
        dup2(substitute, sockets[index])
        Descriptor.setSurvivesExecution(false, of: sockets[index])
      }
      close(substitute)
    }
    count = 0
    pthread_mutex_unlock(lock)
  }
}
