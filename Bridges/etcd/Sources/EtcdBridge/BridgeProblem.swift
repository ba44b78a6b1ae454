// Why the bridge cannot go on, with the status that it ends with. What passes by itself is no such problem.

/// A problem that a person has to solve.
package struct BridgeProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of problem it is, as the status of the program says it: those of sysexits(3).
  package enum Kind: Int32, Sendable {
    /// The command line is wrong.
    case usage = 64
    /// A file cannot be read.
    case noInput = 66
    /// What is asked for is not there: no hub, no etcd.
    case unavailable = 69
    /// etcd or the hub do not allow it.
    case denied = 77
    /// The stores are claimed by somebody else, or what was found does not fit together.
    case configuration = 78
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
