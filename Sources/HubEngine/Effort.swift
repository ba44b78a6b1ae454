// Owns the cost of work: requests count it, so that no session delays the others.
//
// The unit is about a nanosecond of a fast processor. The numbers are estimates: they bound a step to the right order
// of magnitude, and cost one addition, while reading a clock would cost more than the work.

import HubCore

/// A step's allowance of work, and how much of it is spent.
struct Effort {
  private(set) var spent = 0
  private let allowance: Int

  /// - Parameter allowance: `.max`: it is never spent.
  init(_ allowance: Int) { self.allowance = allowance }

  @inline(__always) mutating func spend(_ cost: Int) { spent &+= cost }

  /// The rest waits for another step.
  @inline(__always) var isSpent: Bool { spent >= allowance }
}

enum Cost {
  /// Any request, and what its reply takes; each operation of a transaction.
  static let request = 250
  /// A store in a walk, its name of that many bytes compared with a pattern.
  @inline(__always)
  static func match(_ count: Int, _ pattern: borrowing NamePattern) -> Int {
    // A `**` before something else may have to try every component, each time with several of the pattern's.
    20 + count * (pattern.isDeep && pattern.components.count > 1 ? max(10, pattern.components.count) : 2)
  }
  /// An entry of an order that is passed over.
  static let passed = 5
  /// A node of the tree of patterns, whose children are looked up.
  static let node = 100
  /// A store's membership in a pattern: created, ended, or notified of a change.
  static let membership = 25
  /// A pattern that is opened or ended, with its nodes in the tree.
  @inline(__always)
  static func pattern(_ pattern: borrowing NamePattern) -> Int { 500 + 300 * pattern.components.count }
  /// An entry of a page.
  static let entry = 200
  /// A name that is put into the order of names, or looked up there.
  static let sorted = 800
  /// A choice of a schema that is checked: several times.
  static let choice = 300
  /// A state of a comparison of two patterns, with its sets.
  static let state = 1000
  /// An explanation of access: a dozen decisions.
  static let explanation = 10_000
  /// To look up a process's unit in /proc.
  static let origin = 20_000
  /// A store that is looked up by its name.
  static let found = 200
  /// A value that ends, or another write of the hub's own.
  static let write = 2000
  /// Four bytes of a request or a reply: the kernel copies them, and the hub once or twice. Measured: 0.2 ns for a byte of a
  /// reply, 0.3 to 0.5 of a value that is set.
  @inline(__always)
  static func bytes(_ count: Int) -> Int { count >> 2 }
}
