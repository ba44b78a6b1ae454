// The daemon as a child process of a test, on a socket of its own.

import Foundation
package import HubClient
import Synchronization

/// A hub that was started, and is killed with this object.
package final class HubProgram: Sendable {
  package let socket: String
  private let directory: String
  private let process = Mutex<Process?>(nil)

  /// The program that `STATEHUB` names; nil if it names none: then there are no tests with a real hub.
  package static var path: String? { ProcessInfo.processInfo.environment["STATEHUB"] }

  /// A directory that was made for one test.
  package static func newDirectory() -> String {
    let directory = FileManager.default.temporaryDirectory.appending(path: "hub-\(UUID())").path
    try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return directory
  }

  /// Starts it and waits until it answers.
  package init() async throws {
    directory = HubProgram.newDirectory()
    socket = directory + "/hub.sock"
    try Data("{}\n".utf8).write(to: URL(filePath: directory + "/empty.json5"))
    try await start()
  }

  /// Starts it, once more after `kill`, and waits until it answers.
  package func start() async throws {
    let process = Process()
    process.executableURL = URL(filePath: Self.path ?? "statehub")
    process.arguments = ["--socket", socket, "--volatile", "--config", directory + "/empty.json5"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process.withLock { $0 = process }
    _ = try await Hub(.explicit(socket), timeout: .seconds(60)).ping()
  }

  /// Kills it, without a chance to say goodbye.
  package func kill() {
    process.withLock { process in
      if let process { Glibc.kill(process.processIdentifier, SIGKILL) }
      process?.waitUntilExit()
      process = nil
    }
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// A connection of its own.
  package func connect() -> Hub { Hub(.explicit(socket)) }
}
