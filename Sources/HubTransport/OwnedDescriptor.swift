// One file descriptor with one owner: it is closed exactly once, and nothing else here closes descriptors.

internal import Glibc

package struct OwnedDescriptor: ~Copyable, Sendable {
  package let raw: Int32

  /// Takes over an open descriptor.
  package init(_ raw: Int32) {
    precondition(raw >= 0)
    self.raw = raw
  }

  deinit { close(raw) }
}
