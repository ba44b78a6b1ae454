// A pipe's two ends, closed on exec.

internal import CLinux
internal import Glibc

package struct Pipe: ~Copyable {
  package let reading: Descriptor
  private var writing: Descriptor?

  package init() throws(SystemError) {
    var ends: (Int32, Int32) = (-1, -1)
    if clinux_pipe(&ends.0, &ends.1) != 0 { throw .last }
    reading = Descriptor(adopting: ends.0)
    writing = Descriptor(adopting: ends.1)
  }

  /// The end to write to; -1 once it is closed.
  package var writingEnd: Int32 {
    switch writing {
    case .some(let end): end.raw
    case .none: -1
    }
  }

  /// Once every copy of this end is closed, the other has an end.
  package mutating func closeWriting() { writing = nil }
}
