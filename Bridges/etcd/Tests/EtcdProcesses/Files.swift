// Temporary directories, and small files in them.

internal import Foundation

package enum Files {
  /// A file's contents; empty if it cannot be read.
  package static func read(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  package static func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }
}

/// A directory that is removed with its owner, in memory where possible, because etcd syncs each write.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    let base = ProcessInfo.processInfo.environment["ETCD_GATEWAY_DIRECTORY"] ?? memory
    path = "\(base)/etcd-gateway-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
