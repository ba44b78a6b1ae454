// Owns the expansion of @DependencyClient: the memberwise initialiser, and methods with argument labels.

enum DependencyClientMacro {
  private static let name = "@DependencyClient"

  static func members(_ request: MacroRequest) throws(Rejection) -> String {
    let (declaration, list) = try request.type(["struct"], "a struct", for: name)
    let members = try declaration.members(for: name)
    let properties = try properties(members, list)
    let endpoints = properties.compactMap { EndpointExpander($0, of: declaration, list: list) }
    let rejections = endpoints.compactMap(\.rejection)
    guard rejections.isEmpty else { throw Rejection(rejections) }

    var writer = SourceWriter()
    let access = prefix(of: properties, limit: limit(declaration, request))
    writeInitialiser(access, properties, endpoints, list, to: &writer)
    for endpoint in endpoints { endpoint.writeMethod(to: &writer) }
    return writer.text
  }

  private static func properties(
    _ members: [Member], _ list: TokenList
  ) throws(Rejection) -> [ClientProperty] {
    var properties: [ClientProperty] = []
    for member in members {
      switch member {
      case .variable(let variable):
        properties += try ClientProperty.properties(of: variable, list: list)
      case .conditional(let clauses):
        for clause in clauses {
          guard let property = try self.properties(clause.members, list).first else { continue }
          throw Rejection(
            "'\(name)' cannot have a parameter for '\(property.name)': parameters cannot be inside '#if'",
            at: property.offset, length: property.name.utf8.count)
        }
      default: break
      }
    }
    return properties
  }

  // MARK: Access

  /// The most that the initialiser can be: the level of the struct, which an extension may set.
  private static func limit(_ declaration: TypeDeclaration, _ request: MacroRequest) -> Access {
    if let access = declaration.access { return max(access, .internal) }
    if let outer = request.surroundings.first, outer.keyword == "extension", let access = outer.access {
      return max(access, .internal)
    }
    return .internal
  }

  /// No more visible than any property that it sets.
  private static func prefix(of properties: [ClientProperty], limit: Access) -> String {
    let access = properties.map(\.access).reduce(limit, min)
    return access == .internal ? "" : access.rawValue + " "
  }

  // MARK: The initialiser

  private static func writeInitialiser(
    _ access: String, _ properties: [ClientProperty], _ endpoints: [EndpointExpander], _ list: TokenList,
    to writer: inout SourceWriter
  ) {
    guard !properties.isEmpty else { return writer.line("\(access)init() {}") }
    writer.block("\(access)init(", tail: ") {") { writer in
      for (index, property) in properties.enumerated() {
        let comma = index + 1 < properties.count ? "," : ""
        writer.line(parameter(property, list) + comma)
      }
    }
    writer.block(nil) { writer in
      for property in properties {
        if let endpoint = endpoints.first(where: { $0.property.name == property.name }) {
          endpoint.writeAssignment(to: &writer)
        } else {
          writer.line("self.\(property.name) = \(property.name)")
        }
      }
    }
  }

  private static func parameter(_ property: ClientProperty, _ list: TokenList) -> String {
    switch property.role {
    case .endpoint:
      // Optional, and set by the body: a default argument of a public initialiser may use only public declarations, a body may use any.
      return "\(property.name): (\(property.typeText))? = nil"
    case .value(let initialValue):
      let escaping = property.type?.function == nil ? "" : "@escaping "
      let parameter = "\(property.name): \(escaping)\(property.typeText)"
      if let initialValue { return parameter + " = " + list.source(initialValue) }
      return property.type?.isOptional == true ? parameter + " = nil" : parameter
    }
  }
}
