// Standard error: one line for each thing that went wrong.

internal import Glibc

/// Says it under the program's name. Nothing can be done if that fails.
func complain(_ message: String) {
  let line = Array("statectl: \(message)\n".utf8)
  _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
