// Owns the code for one endpoint of a dependency client: what it does without an implementation, and its method.

struct EndpointExpander {
  let property: ClientProperty
  let function: FunctionNode
  /// `Client.fetch`, the name in reports.
  let label: String
  let list: TokenList

  /// nil for a property that is not an endpoint.
  init?(_ property: ClientProperty, of client: TypeDeclaration, list: TokenList) {
    guard case .endpoint(let function) = property.role else { return nil }
    self.property = property
    self.function = function
    self.list = list
    label = "\(client.name).\(property.name)".filter { $0 != "`" && $0 != "\"" }
  }

  // MARK: What cannot be expanded

  /// Why no placeholder can be generated for this endpoint, or nil.
  var rejection: Diagnostic? {
    let range = property.offset..<property.end
    if function.parameters.contains(where: { $0.type.prefixes.contains("repeat") }) {
      return Diagnostic(
        message: "'@DependencyClient' cannot forward the parameter pack of '\(property.name)'", range: range)
    }
    if property.hasInitialValue {
      guard function.parameters.contains(where: \.isVariadic) else { return nil }
      return Diagnostic(
        message: "'@DependencyClient' cannot forward the variadic parameter of '\(property.name)'",
        range: range)
    }
    guard unimplementedResult == nil else { return nil }
    let wildcards = function.parameters.map { _ in "_" }.joined(separator: ", ")
    let result = "<#\(list.text(function.result.range))#>"
    let closure = wildcards.isEmpty ? "{ \(result) }" : "{ \(wildcards) in \(result) }"
    return Diagnostic(
      message: """
        '@DependencyClient' cannot make up a result for '\(property.name)': give it a default value, let it \
        throw any error, or let it return Void, an optional or an AsyncStream
        """,
      range: range,
      fix: .init(message: "Insert '= \(closure)'", insertion: " = \(closure)", offset: property.end))
  }

  /// The statement that ends an endpoint without implementation: empty for `Void`, nil where there is no honest one.
  private var unimplementedResult: String? {
    let result = list.text(function.result.range)
    if case .any = function.failure { return "throw \(error)" }
    if function.result.isVoid { return "" }
    if function.result.isOptional { return "return nil" }
    guard case .named(let path, let arguments) = function.result.shape else { return nil }
    switch path.split(separator: ".").last {
    case "AsyncStream" where arguments.count == 1:
      return "return \(result) { $0.finish() }"
    case "AsyncThrowingStream" where arguments.count == 2:
      guard case .named("Error", _) = arguments[1].shape else { return nil }
      return "return \(result) { $0.finish(throwing: \(error)) }"
    default:
      return nil
    }
  }

  private var error: String { "HubReducers.Unimplemented(\"\(label)\")" }

  // MARK: The assignment

  /// Assigns the argument or, if there was none, a closure that reports this by name.
  func writeAssignment(to writer: inout SourceWriter) {
    let name = property.name
    writer.line("if let \(name) {")
    writer.block(nil, tail: "} else {") { $0.line("self.\(name) = \(name)") }
    writer.block(nil) { writer in
      if property.hasInitialValue {
        // At this point the property has its default.
        writer.line("let placeholder = self.\(name)")
        // A closure's errors are of any type unless it declares one, and then its parameters need names.
        let isTyped = if case .typed = function.failure { true } else { false }
        let names = function.parameters.indices.map { "p\($0)" }.joined(separator: ", ")
        let signature = isTyped ? " (\(names)) \(list.text(function.effects)) in" : ""
        writer.block("self.\(name) = {\(signature)") { writer in
          writer.line(report)
          writer.line("return \(call("placeholder", argument: isTyped ? "p" : "$"))")
        }
      } else {
        let wildcards = function.parameters.map { _ in "_" }.joined(separator: ", ")
        writer.block("self.\(name) = {\(wildcards.isEmpty ? "" : " \(wildcards) in")") { writer in
          writer.line(report)
          if let result = unimplementedResult, !result.isEmpty { writer.line(result) }
        }
      }
    }
  }

  private var report: String { "HubReducers.Unimplemented.report(\"\(label)\")" }

  private func call(_ callee: String, argument: String) -> String {
    let arguments = function.parameters.enumerated().map { index, parameter in
      let name = argument + String(index)
      if parameter.type.prefixes.contains("inout") { return "&" + name }
      return parameter.type.prefixes.contains("@autoclosure") ? name + "()" : name
    }
    var effects = ""
    if case .never = function.failure {} else { effects += "try " }
    if function.isAsync { effects += "await " }
    return "\(effects)\(callee)(\(arguments.joined(separator: ", ")))"
  }

  // MARK: The method

  /// A method with the labels of `(_ id: Int) -> T`, which a call of the closure cannot have.
  func writeMethod(to writer: inout SourceWriter) {
    let labels = function.parameters.map { $0.secondName.map(unescapedLabel) ?? "_" }
    guard labels.contains(where: { $0 != "_" }), !function.parameters.contains(where: \.isVariadic) else {
      return
    }
    let parameters = zip(labels, function.parameters).enumerated().map { index, element in
      "\(element.0) p\(index): \(list.text(element.1.type.range))"
    }
    let effects = function.effects.isEmpty ? "" : " " + list.text(function.effects)
    let access = property.access == .internal ? "" : property.access.rawValue + " "
    let head = "\(isolation)\(access)func \(property.name)(\(parameters.joined(separator: ", ")))\(effects)"
    writer.block("\(head) -> \(list.text(function.result.range)) {") { writer in
      writer.line(call("self.\(property.name)", argument: "p"))
    }
  }

  /// The global actor of the closure, whose name begins with a capital as `@Sendable` does.
  private var isolation: String {
    let actors = (property.type?.functionPrefixes ?? []).filter { prefix in
      prefix.dropFirst().first?.isUppercase == true && prefix != "@Sendable"
    }
    return actors.map { $0 + " " }.joined()
  }
}
