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
  static func print(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(STDOUT_FILENO, bytes.baseAddress! + written, bytes.count - written)
        if count < 0, errno != EINTR { return }
        written += max(0, count)
      }
    }
  }
}
