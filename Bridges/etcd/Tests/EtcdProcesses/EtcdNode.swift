// One member of etcd as a process. It has a loopback address of its own, so that no port is ever taken.

internal import Glibc
internal import Synchronization

package final class EtcdNode: Sendable {
  package let name: String
  package let address: String
  private let directory: TemporaryDirectory
  private let options: [String]
  private let isSecure: Bool
  private let process = Mutex<GuardedProcess?>(nil)

  /// Where clients reach it.
  package var url: String { "\(isSecure ? "https" : "http")://\(address):2379" }

  /// Where other members reach it.
  package var peerURL: String { "http://\(address):2380" }

  init(_ name: String, address: String, isSecure: Bool, _ options: [String]) throws {
    self.name = name
    self.address = address
    self.isSecure = isSecure
    self.options = options
    directory = try TemporaryDirectory()
  }

  /// Starts it, with its data if it has any.
  package func start(members: [EtcdNode]) throws {
    let cluster = members.map { "\($0.name)=\($0.peerURL)" }.joined(separator: ",")
    let arguments = [
      "etcd", "--name", name, "--data-dir", "\(directory.path)/data", "--listen-client-urls", url,
      "--advertise-client-urls", url, "--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL,
      "--initial-cluster", cluster, "--initial-cluster-token", cluster, "--logger", "zap",
    ]
    let started = try GuardedProcess(arguments + options, in: directory.path)
    process.withLock { $0 = started }
  }

  /// Sends it a signal, such as SIGSTOP.
  package func signal(_ number: Int32) { process.withLock { $0?.signal(number) } }

  /// Kills it. What it has stored stays.
  package func kill() { process.withLock { $0 = nil } }

  /// Saves a snapshot, as a backup does.
  package func saveSnapshot() throws { try ctl("snapshot", "save", "\(directory.path)/snapshot") }

  /// Replaces its data by the saved snapshot, from which `start` continues. It must have been killed.
  package func restoreSnapshot(members: [EtcdNode]) throws {
    try GuardedProcess.run(["rm", "-rf", "\(directory.path)/data"], in: directory.path)
    let cluster = members.map { "\($0.name)=\($0.peerURL)" }.joined(separator: ",")
    try ctl(
      "snapshot", "restore", "\(directory.path)/snapshot", "--data-dir", "\(directory.path)/data", "--name",
      name,
      "--initial-cluster", cluster, "--initial-cluster-token", cluster, "--initial-advertise-peer-urls",
      peerURL)
  }

  /// Its output.
  package var log: String { Files.read("\(directory.path)/log") }

  /// Runs etcdctl against it.
  @discardableResult package func ctl(_ arguments: String...) throws -> String { try ctl(arguments) }

  /// Runs etcdctl against it.
  @discardableResult package func ctl(_ arguments: [String]) throws -> String {
    try GuardedProcess.run(
      ["env", "ETCDCTL_API=3", "etcdctl", "--endpoints", "\(address):2379"] + arguments, in: directory.path)
  }
}
