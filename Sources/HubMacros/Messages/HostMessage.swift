// Owns what the compiler says to a macro plugin: protocol version 7, of which only the parts that are
// used here are read.

enum HostMessage: Decodable {
  case getCapability(capability: Capability?)
  case expandFreestandingMacro(macro: MacroReference, syntax: SyntaxNode)
  case expandAttachedMacro(
    macro: MacroReference, macroRole: String, declSyntax: SyntaxNode, extendedTypeSyntax: SyntaxNode?,
    conformanceListSyntax: SyntaxNode?, lexicalContext: [SyntaxNode]?)
}

struct Capability: Codable, Equatable {
  var protocolVersion: Int
}

struct MacroReference: Decodable {
  var moduleName: String
  /// The name after `type:` in `#externalMacro`.
  var typeName: String
}

struct SyntaxNode: Decodable {
  struct Location: Decodable {
    var fileName: String
    /// UTF-8 offset in the file of the first byte of `source`.
    var offset: Int
  }

  /// The source with all comments and blanks around it.
  var source: String
  var location: Location
}
