// Why the bridge cannot continue, with its exit status. Problems that pass by themselves do not end it.

/// A problem that an administrator must solve.
package struct BridgeProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of problem, which is the exit status: those of sysexits(3).
  package enum Kind: Int32, Sendable {
    /// The command line is wrong.
    case usage = 64
    /// A file cannot be read.
    case noInput = 66
    /// The hub or etcd is missing.
    case unavailable = 69
    /// etcd or the hub denies it.
    case denied = 77
    /// Another provider claims the stores, or the configuration is inconsistent.
    case configuration = 78
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
