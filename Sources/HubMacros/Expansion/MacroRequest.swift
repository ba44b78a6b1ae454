// Owns the compiler's request to a macro: the role to play and the source it is attached to.

struct MacroRequest: Sendable {
  enum Role: String, Sendable {
    case member, memberAttribute, peer, `extension`
  }

  var role: Role
  /// The declaration or, for `memberAttribute`, one of its members, with the attribute and all comments.
  var declaration: String
  /// For `extension`, the type, qualified with the types around it.
  var extendedType: String?
  /// For `extension`, the protocols of the macro that the type does not conform to yet, without their modules.
  var missingConformances: Set<String> = []
  /// The declarations around this one without their members, the innermost first.
  var lexicalContext: [String] = []
}

/// A message at a position in the source of the request.
struct Diagnostic: Equatable, Sendable {
  struct Fix: Equatable, Sendable {
    var message: String
    var insertion: String
    var offset: Int
  }

  var message: String
  /// UTF-8 offsets into `MacroRequest.declaration`.
  var range: Range<Int>
  var fix: Fix?
}

/// Thrown by an expansion that would be wrong: the compiler shows the diagnostics, and adds no code.
struct Rejection: Error, Equatable, Sendable {
  var diagnostics: [Diagnostic]

  init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  init(_ message: String, at offset: Int, length: Int = 1) {
    diagnostics = [Diagnostic(message: message, range: offset..<offset + length)]
  }
}

extension MacroRequest {
  /// The declaration, parsed; what cannot be read is rejected in the name of `macro`.
  func parse(for macro: String) throws(Rejection) -> (member: Member, list: TokenList) {
    do {
      let (member, list) = try Cursor.parseDeclaration(declaration)
      return (member, list)
    } catch {
      throw Rejection(error, macro: macro)
    }
  }

  /// The type that the macro is attached to, which must be of one of these kinds.
  ///
  /// - Parameter wanted: what the macro needs, for the message.
  func type(
    _ kinds: Set<String>, _ wanted: String, for macro: String
  ) throws(Rejection) -> (TypeDeclaration, TokenList) {
    let (member, list) = try parse(for: macro)
    guard case .type(let declaration) = member else { throw Rejection("'\(macro)' needs \(wanted)", at: 0) }
    guard kinds.contains(declaration.keyword) else {
      throw Rejection(
        "'\(macro)' needs \(wanted), and '\(declaration.name)' is of kind '\(declaration.keyword)'",
        at: declaration.keywordOffset, length: declaration.keyword.utf8.count)
    }
    return (declaration, list)
  }

  /// `extension Outer.Feature: protocols {}`, with the availability of the type; nothing without protocols.
  func conformance(of declaration: TypeDeclaration, to protocols: [String]) -> String {
    guard !protocols.isEmpty, let type = extendedType else { return "" }
    var writer = SourceWriter()
    for attribute in availability(of: declaration) { writer.line(attribute) }
    writer.line("extension \(type): \(protocols.joined(separator: ", ")) {}")
    return writer.text
  }

  /// The heads of the types and extensions around this declaration, the innermost first.
  var surroundings: [TypeDeclaration] {
    lexicalContext.compactMap { source in
      guard case .type(let type)? = try? Cursor.parseDeclaration(source).0 else { return nil }
      return type
    }
  }

  /// The availability of the declaration and of what surrounds it, for an extension at file scope.
  private func availability(of type: TypeDeclaration) -> [String] {
    ([type] + surroundings).flatMap(\.attributes).filter { $0.name == "available" }.map(\.text)
  }
}

extension MacroRequest {
  /// An extension is at file scope, where a private type inside another one is out of reach.
  func rejectPrivateNesting(of type: TypeDeclaration, macro: String) throws(Rejection) {
    let chain = [type] + surroundings
    guard let hidden = chain.dropLast().first(where: { $0.access == .private }) else { return }
    throw Rejection(
      "'\(macro)' cannot extend '\(type.name)': '\(hidden.name)' is private, make it fileprivate",
      at: type.keywordOffset, length: type.keyword.utf8.count)
  }
}

extension TypeDeclaration {
  /// What it has in its braces; what cannot be read is rejected in the name of `macro`.
  func members(for macro: String) throws(Rejection) -> [Member] {
    var body = body
    do {
      return try body.parseMembers()
    } catch {
      throw Rejection(error, macro: macro)
    }
  }
}

extension Rejection {
  fileprivate init(_ failure: SyntaxFailure, macro: String) {
    self.init("'\(macro)' cannot read this declaration: \(failure.message)", at: failure.offset)
  }
}
