// The three standard streams, used without buffers.

internal import Glibc

package enum StandardStream: Int32, Sendable {
  case input = 0
  case output = 1
  case error = 2

  package var raw: Int32 { rawValue }

  package var isTerminal: Bool { StandardStream.isTerminal(raw) }

  /// The same for a replacement of a standard stream.
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// How many columns the terminal has; nil if it is not a terminal, or does not report it.
  package var columns: Int? { size?.columns }

  /// How many rows and columns the terminal has; nil if it is not a terminal, or does not report it.
  package var size: (rows: Int, columns: Int)? {
    var size = winsize()
    guard ioctl(raw, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Writes a text with one call where it fits, so that lines of several threads do not mix.
  ///
  /// - Returns: whether all of it was written.
  @discardableResult
  package func write(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { Glibc.write(raw, $0.baseAddress, $0.count) == $0.count }
  }

  /// Writes a text of any length.
  ///
  /// - Returns: the error, if not all of it could be written.
  @discardableResult
  package func writeAll(_ text: String) -> SystemError? {
    var text = text
    return text.withUTF8 { Descriptor.writeAll(UnsafeRawBufferPointer($0), to: raw) }
  }

  /// What a closed standard stream is replaced by.
  package enum Replacement {
    /// It is empty, and takes everything.
    case nothing
    /// It fails as a closed descriptor does.
    case failure
  }

  /// Opens those that are closed, so that nothing else gets their numbers.
  package static func openClosed(as replacement: Replacement) {
    for raw in STDIN_FILENO...STDERR_FILENO where !Descriptor.isOpen(raw) {
      // This is the lowest free number.
      _ = open("/dev/null", replacement == .nothing ? O_RDWR : raw == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
