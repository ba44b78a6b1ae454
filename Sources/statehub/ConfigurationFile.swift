// The configuration file: finding and reading it. HubServer interprets it.

import HubCore
import HubServer
import HubSystem

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
    let file: Descriptor
    do throws(SystemError) {
      // A pipe without a writer could keep the hub waiting forever.
      file = try Descriptor(opening: path, .nonblocking)
    } catch {
      if error == .noSuchFile || error == .notADirectory { return nil }
      throw failure(path, error)
    }
    return try contents(of: file, path)
  }

  private static func contents(
    of file: borrowing Descriptor, _ path: String
  ) throws(ConfigurationFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count <= longest {
      let raw = file.raw
      switch chunk.withUnsafeMutableBytes({ Descriptor.read(raw, into: $0) }) {
      case .bytes(let count): bytes += chunk[0..<count]
      case .ended: return bytes
      case .failed(let problem): throw failure(path, problem)
      case .wouldBlock:
        if !Poll.wait(for: .reading, on: raw, milliseconds: patience) {
          throw ConfigurationFailure(message: "\(path): reading it takes longer than \(patience / 1000) s")
        }
      }
    }
    throw ConfigurationFailure(message: "\(path): longer than \(longest >> 20) MiB")
  }

  private static func failure(_ path: String, _ problem: SystemError) -> ConfigurationFailure {
    ConfigurationFailure(message: "\(path): \(problem)\(Confinement.hint(problem, at: path))")
  }
}
