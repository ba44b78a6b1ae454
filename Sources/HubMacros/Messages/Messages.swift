// Owns the messages between the compiler and a macro plugin: protocol version 7, of which only the parts used here are read.

enum PluginMessage: Codable, Equatable {
  case getCapabilityResult(capability: Capability)
  case expandMacroResult(expandedSource: String?, diagnostics: [DiagnosticMessage])
}

struct DiagnosticMessage: Codable, Equatable {
  struct Position: Codable, Equatable {
    var fileName: String
    /// UTF-8 offset in the file.
    var offset: Int
  }

  struct PositionRange: Codable, Equatable {
    var fileName: String
    var startOffset: Int
    var endOffset: Int
  }

  struct Note: Codable, Equatable {
    var position: Position
    var message: String
  }

  struct FixIt: Codable, Equatable {
    struct Change: Codable, Equatable {
      var range: PositionRange
      var newText: String
    }

    var message: String
    var changes: [Change]
  }

  var message: String
  /// `error`, `warning` or `note`.
  var severity: String
  var position: Position
  var highlights: [PositionRange]
  var notes: [Note]
  var fixIts: [FixIt]
}

extension DiagnosticMessage {
  /// Moves a diagnostic from the declaration's source to its file.
  init(_ diagnostic: Diagnostic, in location: SyntaxNode.Location) {
    func range(_ range: Range<Int>) -> PositionRange {
      PositionRange(
        fileName: location.fileName, startOffset: location.offset + range.lowerBound,
        endOffset: location.offset + range.upperBound)
    }
    message = diagnostic.message
    severity = "error"
    position = Position(
      fileName: location.fileName, offset: location.offset + diagnostic.range.lowerBound)
    highlights = [range(diagnostic.range)]
    notes = []
    fixIts =
      diagnostic.fix.map { fix in
        let change = FixIt.Change(range: range(fix.offset..<fix.offset), newText: fix.insertion)
        return [FixIt(message: fix.message, changes: [change])]
      } ?? []
  }
}

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
