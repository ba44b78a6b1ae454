// Owns the order of access levels.

enum Access: String, Comparable, Sendable {
  case `private`, `fileprivate`, `internal`, package, `public`, open

  /// The level among the modifiers; a level for the setter alone does not count.
  init?(_ modifiers: [ModifierNode]) {
    let levels = modifiers.lazy.filter { $0.argument == nil }.compactMap { Access(rawValue: $0.name) }
    guard let level = levels.first else { return nil }
    self = level
  }

  private var rank: Int {
    switch self {
    case .private: 0
    case .fileprivate: 1
    case .internal: 2
    case .package: 3
    case .public: 4
    case .open: 5
    }
  }

  static func < (lhs: Access, rhs: Access) -> Bool { lhs.rank < rhs.rank }
}
