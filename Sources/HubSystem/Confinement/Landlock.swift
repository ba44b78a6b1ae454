// Landlock: which files this process, and whatever it executes, may still open. Files that are already open stay open.

internal import CLinux
internal import Glibc

/// Rules in preparation. They allow; everything else is forbidden once they are enforced.
package struct Landlock: ~Copyable {
  /// What may be done with a file or a directory, and with what is beneath.
  package struct Access: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let execute = Access(rawValue: 1 << 0)
    package static let writeFiles = Access(rawValue: 1 << 1)
    package static let readFiles = Access(rawValue: 1 << 2)
    package static let readDirectories = Access(rawValue: 1 << 3)
    package static let removeFiles = Access(rawValue: 1 << 5)
    package static let makeDirectories = Access(rawValue: 1 << 7)
    package static let makeFiles = Access(rawValue: 1 << 8)
    package static let makeSockets = Access(rawValue: 1 << 9)
    package static let truncate = Access(rawValue: 1 << 14)

    package static let read: Access = [.readFiles, .readDirectories]

    /// All that the kernel's version of Landlock can forbid.
    fileprivate static func known(to version: Int) -> Access {
      // Version 1 ends with symbolic links; later versions add links between directories, truncation, and ioctl on devices.
      let count = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13
      return Access(rawValue: (1 << UInt64(count)) - 1)
    }

    /// The rights that apply to a file that is not a directory.
    fileprivate static let ofFiles: Access = [.execute, .writeFiles, .readFiles, .truncate]
  }

  private let ruleset: Descriptor
  private let known: Access

  /// - Throws: why it cannot be used here. Kernels may be built without it, start without it, or be configured to refuse it.
  ///
  /// - Parameter reachesAbstractSockets: of programs that are not confined with this process.
  package init(reachesAbstractSockets: Bool) throws(SystemError) {
    let version = try Landlock.version()
    let known = Access.known(to: version)
    // From version 4, no TCP connections; from version 6, no signals to other processes, and no abstract sockets of theirs.
    let (network, scopes): (UInt64, UInt64) = (
      version >= 4 ? 0b11 : 0, version >= 6 ? reachesAbstractSockets ? 0b10 : 0b11 : 0
    )
    ruleset = try Descriptor(returned: clinux_landlock_ruleset(known.rawValue, network, scopes))
    self.known = known
  }

  private static func version() throws(SystemError) -> Int {
    let version = clinux_landlock_version()
    if version < 0 { throw .last }
    return Int(version)
  }

  /// Allows something for a file, or for a directory and all that is beneath it now or later. What does not exist, or cannot
  /// be reached, is skipped.
  package func allow(_ access: Access, beneath path: String) throws(SystemError) {
    guard let file = try? Descriptor(opening: path, .pathOnly), let status = try? FileStatus(of: file.raw)
    else { return }
    let meaningful = status.kind == .directory ? access : access.intersection(.ofFiles)
    let allowed = meaningful.intersection(known)
    if allowed.isEmpty { return }
    if clinux_landlock_allow(ruleset.raw, allowed.rawValue, file.raw) != 0 { throw .last }
  }

  /// Enforces the rules irrevocably: for this thread, those that it starts from now on, and every program that they
  /// execute. `Privileges.gainNone` comes first.
  package consuming func enforce() throws(SystemError) {
    if clinux_landlock_enforce(ruleset.raw) != 0 { throw .last }
  }
}

package enum Privileges {
  /// No program that this process executes gains rights, whatever the mode of its file.
  package static func gainNone() throws(SystemError) {
    if clinux_gain_no_privileges() != 0 { throw .last }
  }

  /// This process is a member of these groups as well, if it is root: it may give files of its own to them without privileges.
  package static func join(_ groups: [UInt32]) throws(SystemError) {
    let present = CurrentProcess.groups
    if geteuid() != 0 || Set(groups).isSubset(of: present) { return }
    let all = Array(Set(groups).union(present))
    if setgroups(all.count, all) != 0 { throw .last }
  }

  /// Gives up all capabilities, also those that a program executed by root would get. `gainNone` comes first.
  package static func dropCapabilities() throws(SystemError) {
    if clinux_drop_capabilities() != 0 { throw .last }
  }
}
