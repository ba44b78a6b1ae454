// The process at the other end of a connection, according to the kernel.

internal import CLinux

package struct PeerCredentials: Hashable, Sendable {
  package var pid: UInt32
  package var uid: UInt32
  package var gid: UInt32
}

extension Socket {
  package static func peer(of descriptor: Int32) throws(SystemError) -> PeerCredentials {
    var peer = PeerCredentials(pid: 0, uid: 0, gid: 0)
    if clinux_peer_credentials(descriptor, &peer.pid, &peer.uid, &peer.gid) != 0 { throw .last }
    return peer
  }
}

extension Socket {
  /// The supplementary groups that the peer had when it connected. They stay readable for as long as the connection is open.
  package static func peerGroups(of descriptor: Int32) throws(SystemError) -> [UInt32] {
    var count = 64
    while true {
      var groups = [UInt32](repeating: 0, count: count)
      if clinux_peer_groups(descriptor, &groups, &count) == 0 { return Array(groups.prefix(count)) }
      let problem = SystemError.last
      guard problem == .outOfRange, count > groups.count else { throw problem }
    }
  }
}

extension Socket {
  /// Whether the kernel has `SO_PEERPIDFD`, without which no peer's control groups can be determined reliably: a process that
  /// has connected may end, and another one gets its number.
  package static let identifiesProcesses: Bool = {
    guard let (one, other) = try? pair() else { return false }
    defer {
      Descriptor.close(one)
      Descriptor.close(other)
    }
    return peerProcess(of: one) != nil
  }()

  /// The text of the peer's `/proc/PID/cgroup`; nil if it cannot be read, the process has ended, or it is in another pid
  /// namespace.
  ///
  /// - Parameter proc: where the processes' directories are.
  package static func controlGroups(ofPeerAt descriptor: Int32, in proc: String = "/proc") -> String? {
    guard let pid = try? peer(of: descriptor).pid, pid > 0, let process = peerProcess(of: descriptor),
      let text = try? File.contents(of: "\(proc)/\(pid)/cgroup", limit: longestControlGroups)
    else { return nil }
    // While the process lives, no other process has its number. It becomes ready when the process exits.
    let hasEnded = Poll.wait(for: .reading, on: process.raw, milliseconds: 0)
    return hasEnded ? nil : String(decoding: text, as: UTF8.self)
  }

  private static let longestControlGroups = 16 << 10

  private static func peerProcess(of descriptor: Int32) -> Descriptor? {
    let process = clinux_peer_process(descriptor)
    return process < 0 ? nil : Descriptor(adopting: process)
  }
}
