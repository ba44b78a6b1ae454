// One file descriptor with one owner: it is closed exactly once, and nothing else here closes descriptors.

internal import Glibc

struct OwnedDescriptor: ~Copyable, Sendable {
  let raw: Int32

  /// Takes over an open descriptor.
  init(_ raw: Int32) {
    precondition(raw >= 0)
    self.raw = raw
  }

  deinit { close(raw) }
}
