// Writing to the standard streams without buffers.

import Glibc

enum Terminal {
  static func print(_ text: String) { write(text, to: STDOUT_FILENO) }
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
