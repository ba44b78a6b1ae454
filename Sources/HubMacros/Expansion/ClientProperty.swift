// Owns the classification of a dependency client's stored properties: an endpoint, a plain value, or nothing that an initialiser could set.

struct ClientProperty {
  enum Role {
    /// A `var` of a function type: it may be left out when a client is made, and then reports its use.
    case endpoint(FunctionNode)
    /// Anything else; the tokens of its initial value are the default.
    case value(initialValue: Range<Int>?)
  }

  /// As written, with backticks.
  var name: String
  var offset: Int
  /// Where the declaration of the property ends.
  var end: Int
  /// nil only for a value whose initial value is a literal of a well-known type.
  var type: TypeNode?
  var typeText: String
  var access: Access
  var role: Role
  var hasInitialValue: Bool
}

extension ClientProperty {
  /// The properties that a declaration adds to the initialiser's parameters.
  static func properties(
    of variable: VariableDeclaration, list: TokenList
  ) throws(Rejection) -> [ClientProperty] {
    let skipped: Set<String> = ["static", "class", "lazy"]
    guard !variable.modifiers.contains(where: { skipped.contains($0.name) }) else { return [] }
    guard !variable.isSetByWrapper else { return [] }
    let access = Access(variable.modifiers) ?? .internal
    var properties: [ClientProperty] = []
    var followingType: TypeNode?
    // `var a, b: Int`: a name without a type takes the type of the name after it.
    for binding in variable.bindings.reversed() {
      if let type = binding.type { followingType = type }
      if binding.initialValue != nil {
        if binding.type == nil { followingType = nil }
        if variable.isConstant || access < .internal || binding.name == nil { continue }
      }
      guard binding.accessors == nil else { continue }
      let type = binding.initialValue == nil ? followingType : binding.type
      let property = try property(
        binding, type: type, access: access, isConstant: variable.isConstant, list: list)
      properties.insert(property, at: 0)
    }
    return properties
  }

  private static func property(
    _ binding: VariableDeclaration.Binding, type: TypeNode?, access: Access, isConstant: Bool,
    list: TokenList
  ) throws(Rejection) -> ClientProperty {
    guard let name = binding.name else {
      throw Rejection("'@DependencyClient' cannot initialise a tuple pattern", at: binding.offset)
    }
    let text = type.map { list.text($0.range) } ?? binding.initialValue.flatMap { literalType(of: $0, list) }
    guard let text else {
      throw Rejection([
        Diagnostic(
          message: "'@DependencyClient' needs the type of '\(name)' for its initialiser",
          range: binding.offset..<binding.end,
          fix: .init(
            message: "Insert ': <#Type#>'", insertion: ": <#Type#>",
            offset: binding.offset + name.utf8.count))
      ])
    }
    var role = Role.value(initialValue: binding.initialValue)
    if !isConstant, let function = type?.function, isPlaceholder(binding.initialValue, list) {
      role = .endpoint(function)
    }
    return ClientProperty(
      name: name, offset: binding.offset, end: binding.end, type: type, typeText: text, access: access,
      role: role, hasInitialValue: binding.initialValue != nil)
  }

  /// A closure literal is the placeholder for an endpoint without implementation; any other expression, such as a
  /// function's name, is an implementation, and using it needs no report.
  private static func isPlaceholder(_ initialValue: Range<Int>?, _ list: TokenList) -> Bool {
    guard let range = initialValue, let first = range.first else { return true }
    return list.text(list.tokens[first]) == "{" && list.closer(of: first) == range.upperBound - 1
  }

  private static func literalType(of range: Range<Int>, _ list: TokenList) -> String? {
    guard range.count == 1 else { return nil }
    let token = list.tokens[range.lowerBound]
    let text = list.text(token)
    switch token.kind {
    case .string: return "Swift.String"
    case .number: return text.contains(".") ? "Swift.Double" : "Swift.Int"
    case .word where ["true", "false"].contains(text): return "Swift.Bool"
    default: return nil
    }
  }
}

extension VariableDeclaration {
  /// Whether a wrapper with arguments, `@Dependency(\.clock)`, makes the value: wrappers are types, whose
  /// names begin with a capital.
  fileprivate var isSetByWrapper: Bool {
    attributes.contains { attribute in
      attribute.name.first?.isUppercase == true && attribute.text.hasSuffix(")")
    }
  }
}
