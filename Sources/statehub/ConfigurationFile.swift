// The configuration file: finding and reading it. What it means is HubServer's.

import Glibc
import HubCore
import HubServer

/// A configuration that cannot be used, line by line.
struct ConfigurationFailure: Error {
  let message: String
}

enum ConfigurationFile {
  /// A longer file is a mistake, and not read.
  private static let longest = 64 << 20
  /// How long a pipe may keep the hub waiting for the next bytes, in milliseconds.
  private static let patience: Int32 = 2000

  /// Reads and checks the file, and applies it.
  ///
  /// - Returns: false if there is no such file.
  static func read(_ path: String, into options: inout ServerOptions) throws(ConfigurationFailure) -> Bool {
    guard let bytes = try contents(of: path) else { return false }
    do throws(ConfigurationError) {
      try options.configure(parsing: bytes.span, file: path)
      return true
    } catch {
      throw ConfigurationFailure(message: error.description)
    }
  }

  private static func contents(of path: String) throws(ConfigurationFailure) -> [UInt8]? {
    // A pipe without a writer could keep the hub waiting forever.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file < 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(path)
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count <= longest {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += chunk[0..<count]
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        if poll(&waiting, 1, patience) == 0 {
          throw ConfigurationFailure(message: "\(path): nothing comes out of it within \(patience / 1000) s")
        }
      } else if errno != EINTR {
        throw failure(path)
      }
    }
    throw ConfigurationFailure(message: "\(path): longer than \(longest >> 20) MiB")
  }

  private static func failure(_ path: String) -> ConfigurationFailure {
    ConfigurationFailure(message: "\(path): \(String(cString: strerror(errno)))")
  }
}
