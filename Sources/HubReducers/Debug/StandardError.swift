// Owns writing a line to standard error in one piece.

import Glibc

package enum StandardError {
  /// Writes the text with one system call where it fits, so that lines of several threads do not mix.
  package static func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
