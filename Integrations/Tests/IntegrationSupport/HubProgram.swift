// The daemon as a child process of a test, on a socket of its own.

import Foundation
package import HubClient

/// A hub that was started, and is killed with this object.
package final class HubProgram: Sendable {
  package let socket: String
  private let directory: String
  private let process: Process

  /// The program that `STATEHUB` names; nil if it names none: then there are no tests with a real hub.
  package static var path: String? { ProcessInfo.processInfo.environment["STATEHUB"] }

  /// Starts it and waits until it answers.
  package init() async throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "hub-\(UUID())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let empty = directory + "/empty.json5"
    try Data("{}\n".utf8).write(to: URL(filePath: empty))
    socket = directory + "/hub.sock"
    process = Process()
    process.executableURL = URL(filePath: Self.path ?? "statehub")
    process.arguments = ["--socket", socket, "--volatile", "--config", empty]
    process.standardError = FileHandle.nullDevice
    try process.run()
    _ = try await Hub(.explicit(socket), patience: .seconds(60)).ping()
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// A connection of its own.
  package func connect() -> Hub { Hub(.explicit(socket)) }
}
