// The standard streams, used without buffers.

import Glibc

enum Terminal {
  /// Opens what is closed of the three, so that no client's connection gets the number of a standard stream.
  static func openStandardStreams() {
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      if descriptor < 0 { return }
      if descriptor > STDERR_FILENO {
        close(descriptor)
        return
      }
    }
  }

  /// Writes to standard output.
  static func print(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes lines to standard error as they are.
  static func printErrorLines(_ text: String) { write("\(text)\n", to: STDERR_FILENO) }

  /// Writes to standard error, as it is.
  static func writeError(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Writes a line to standard error, after the program's name.
  static func printError(_ text: String) { write("statehub: \(text)\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        if count < 0, errno != EINTR { return }
        written += max(0, count)
      }
    }
  }
}
