// Owns what a parsed declaration consists of; every part remembers its position in the source.

struct AttributeNode: Sendable {
  /// Without `@` and module: `available` for `@available(...)`, `Reducer` for `@HubReducers.Reducer`.
  var name: String
  /// The whole attribute on one line.
  var text: String
}

struct ModifierNode: Sendable {
  var name: String
  /// `set` for `private(set)`.
  var argument: String?
}

/// The head of a type declaration or an extension, and where its members are.
struct TypeDeclaration {
  var attributes: [AttributeNode]
  var modifiers: [ModifierNode]
  /// `struct`, `enum`, `class`, `actor`, `protocol` or `extension`.
  var keyword: String
  var keywordOffset: Int
  /// As written, with backticks; for an extension the extended type.
  var name: String
  var genericParameters: [String]
  var inherited: [TypeNode]
  var body: Cursor

  /// Whether the inheritance clause names the protocol, with or without its module.
  func inherits(_ name: String) -> Bool {
    inherited.contains { type in
      guard case .named(let path, _) = type.shape else { return false }
      return path == name || path.hasSuffix("." + name)
    }
  }

  func hasAttribute(_ name: String) -> Bool { attributes.contains { $0.name == name } }

  /// The access level that is written here, if any.
  var access: Access? { Access(modifiers) }
}

struct EnumCaseDeclaration: Sendable {
  struct Element: Sendable {
    var name: String
    var offset: Int
    var payload: [TupleElementNode]
  }

  var attributes: [AttributeNode]
  var elements: [Element]
}

struct VariableDeclaration {
  struct Binding {
    /// nil for a tuple pattern.
    var name: String?
    var offset: Int
    /// Where the binding ends, for what a fix would insert.
    var end: Int
    var type: TypeNode?
    /// The tokens of the initial value.
    var initialValue: Range<Int>?
    /// What the braces of a computed property enclose; nil for a stored one, observed or not.
    var accessors: Cursor?
  }

  var attributes: [AttributeNode]
  var modifiers: [ModifierNode]
  var isConstant: Bool
  var bindings: [Binding]
}

enum Member {
  case enumCases(EnumCaseDeclaration)
  case variable(VariableDeclaration)
  case type(TypeDeclaration)
  case conditional([ConditionalClause])
  /// Attributes that end with their `#if` clause, or precede one: they belong to the declaration that follows.
  case attributes([AttributeNode])
  /// A function, an initialiser, a typealias, a macro expansion ... with the name of a function or a typealias.
  case other(name: String? = nil)
}

extension Member {
  /// Whether this is only attributes, at any depth of `#if`.
  var isAttributes: Bool {
    switch self {
    case .attributes: true
    case .conditional(let clauses):
      !attributes.isEmpty && clauses.allSatisfy { $0.members.allSatisfy(\.isAttributes) }
    default: false
    }
  }

  /// The attributes of which this consists; none if it is a declaration.
  var attributes: [AttributeNode] {
    switch self {
    case .attributes(let attributes): attributes
    case .conditional(let clauses): clauses.flatMap(\.members).flatMap(\.attributes)
    default: []
    }
  }
}

struct ConditionalClause {
  /// The whole line: `#if DEBUG`, `#else`.
  var line: String
  var members: [Member]
}

enum Access: String, CaseIterable, Comparable, Sendable {
  case `private`, `fileprivate`, `internal`, package, `public`, open

  /// The level among the modifiers; a level for the setter alone does not count.
  init?(_ modifiers: [ModifierNode]) {
    let levels = modifiers.lazy.filter { $0.argument == nil }.compactMap { Access(rawValue: $0.name) }
    guard let level = levels.first else { return nil }
    self = level
  }

  static func < (lhs: Access, rhs: Access) -> Bool {
    lhs != rhs && allCases.first { $0 == lhs || $0 == rhs } == lhs
  }
}
