// The rights to a store, and their names.

/// A set of rights to a store, in one byte.
@usableFromInline package struct AccessRights: OptionSet, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt8

  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// To read, describe, list and watch it, and to see that it exists.
  @inlinable package static var read: AccessRights { AccessRights(rawValue: 1 << 0) }
  /// To set it. What shows its value or depends on it (`add`, `toggle`, `reset`, conditions) also takes `read`.
  @inlinable package static var write: AccessRights { AccessRights(rawValue: 1 << 1) }
  /// To create it, with `set` or `create`.
  @inlinable package static var create: AccessRights { AccessRights(rawValue: 1 << 2) }
  @inlinable package static var remove: AccessRights { AccessRights(rawValue: 1 << 3) }
  /// To change its schema. It also takes `read`.
  @inlinable package static var define: AccessRights { AccessRights(rawValue: 1 << 4) }

  /// To provide it: to decide on writes by other clients.
  @inlinable package static var provide: AccessRights { AccessRights(rawValue: 1 << 5) }

  @inlinable package static var all: AccessRights { [.read, .write, .create, .remove, .define, .provide] }
  /// The rights that all users have by default: all except `provide`, because a provider decides on everyone else's
  /// writes.
  package static var ordinary: AccessRights { all.subtracting(.provide) }

  /// Each right with its name, in the order of display.
  package static let words: [(word: String, right: AccessRights)] = [
    ("read", .read), ("write", .write), ("create", .create), ("remove", .remove), ("define", .define),
    ("provide", .provide),
  ]

  /// The right with this name; nil if there is none.
  package init?(word: String) {
    guard let right = AccessRights.words.first(where: { $0.word == word })?.right else { return nil }
    self = right
  }
}

extension AccessRights: CustomStringConvertible {
  /// The names of its rights, separated by commas; `nothing` if there are none.
  @usableFromInline package var description: String {
    let words = AccessRights.words.filter { contains($0.right) }.map(\.word)
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }
}
