// A machine: a directory with a hub and a bridge, which end with it.

package import EtcdProcesses
internal import Foundation
package import HubClient
internal import Synchronization

package final class Machine: Sendable {
  package let name: String
  package let directory: TemporaryDirectory
  private let bridgeFiles: TemporaryDirectory
  private let configuration: String
  private let hubProcess = Mutex<GuardedProcess?>(nil)
  private let bridgeProcess = Mutex<GuardedProcess?>(nil)

  /// The hub's socket.
  package var socket: String { "\(directory.path)/hub.sock" }

  /// - Parameter configuration: the hub's, as JSON.
  package init(_ name: String, configuration: String = "{}") throws {
    self.name = name
    self.configuration = configuration
    directory = try TemporaryDirectory()
    bridgeFiles = try TemporaryDirectory()
    try Files.write(configuration, "\(directory.path)/hub.json5")
  }

  // MARK: The hub

  /// Starts the hub and waits until it answers.
  package func startHub(_ options: [String] = ["--volatile"]) async throws {
    // Its own state directory, not the user's.
    let state = options.contains("--volatile") ? [] : ["--state-dir", "\(directory.path)/state"]
    let words =
      [try Programs.hub, "--socket", socket, "--config", "\(directory.path)/hub.json5"] + state + options
    let process = try GuardedProcess(words, in: directory.path)
    hubProcess.withLock { $0 = process }
    try await Hub(.explicit(socket), timeout: .seconds(30)).ping()
  }

  /// Stops the hub as its administrator would, so that another can start in its place.
  package func stopHub() async throws {
    signalHub(SIGTERM)
    try await eventually("the hub has ended") { self.hubProcess.withLock { $0?.hasEnded != false } }
  }

  /// Kills the hub at once.
  package func killHub() { hubProcess.withLock { $0 = nil } }

  package func signalHub(_ number: Int32) { hubProcess.withLock { $0?.signal(number) } }

  /// A connection of its own.
  package func connect(_ name: String = "test", timeout: Duration = .seconds(10)) -> Hub {
    Hub(.explicit(socket), name: name, timeout: timeout)
  }

  // MARK: The bridge

  /// Starts the bridge.
  package func startBridge(_ words: [String]) throws {
    let all =
      [try Programs.bridge, "etcd", "--socket", socket, "--name", name, "--log-level", "info"] + words
    let process = try GuardedProcess(all, in: bridgeFiles.path)
    bridgeProcess.withLock { $0 = process }
  }

  /// Kills the bridge at once.
  package func killBridge() { bridgeProcess.withLock { $0 = nil } }

  package func signalBridge(_ number: Int32) { bridgeProcess.withLock { $0?.signal(number) } }

  /// The most memory that the bridge has had since it was started, in bytes.
  package var bridgePeakMemory: Int? {
    let status = Files.read("/proc/\(bridgeProcess.withLock { $0?.pid ?? 0 })/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
  }

  /// The bridge's output since it was started.
  package var bridgeLog: String { Files.read("\(bridgeFiles.path)/log") }

  /// The hub's output since it was started.
  package var hubLog: String { Files.read("\(directory.path)/log") }

  // MARK: Its claims

  /// The present state of a claim.
  package func claim(_ name: String, _ hub: Hub) async throws -> ClaimStatus? {
    try await hub.claims().first { $0.name == name }
  }

  /// Waits until a claim is in a state.
  package func await(
    _ state: ClaimStatus.State, _ hub: Hub, claim name: String = "net", within: Duration = .seconds(30)
  ) async throws {
    do {
      try await eventually("\(self.name): \(name) is \(state.rawValue)", within: within) {
        try await self.claim(name, hub)?.state == state
      }
    } catch {
      throw ProcessFailure("\(error)\n\(bridgeLog.suffix(2000))")
    }
  }
}
