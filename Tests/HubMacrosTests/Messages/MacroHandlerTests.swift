// Owns the tests of turning one message of the compiler into one answer.

import FoundationEssentials
import Testing

@testable import HubMacros

@Suite("The macro handler")
struct MacroHandlerTests {
  private func reply(to json: String) throws -> PluginMessage {
    MacroHandler.reply(to: try JSONDecoder().decode(HostMessage.self, from: Data(json.utf8)))
  }

  /// A message as the compiler writes it, with parts that nobody reads.
  private func attached(
    _ macro: String, _ role: String, _ source: String, offset: Int = 0, conformances: Bool = true
  ) throws -> PluginMessage {
    func quoted(_ text: String) throws -> String {
      String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }
    let location =
      #"{"column": 0, "fileID": "a/a.swift", "fileName": "a.swift", "line": 1, "offset": \#(offset)}"#
    let placeholder =
      #"{"kind": "declaration", "source": "struct Placeholder: HubReducers.Reducer, Swift.Sendable, HubReducers.CasePathable {}", "location": \#(location)}"#
    return try reply(
      to: """
        {"expandAttachedMacro": {
          "macro": {"moduleName": "HubMacrosPlugin", "typeName": \(quoted(macro)), "name": "M "},
          "macroRole": \(quoted(role)), "discriminator": "$s", "staticBuildConfiguration": "{}",
          "attributeSyntax": {"kind": "attribute", "source": "@M", "location": \(location)},
          "declSyntax": {"kind": "declaration", "source": \(quoted(source)), "location": \(location)},
          \(conformances ? "\"conformanceListSyntax\": \(placeholder)," : "")
          "extendedTypeSyntax": {"kind": "type", "source": "Foo", "location": \(location)}
        }}
        """)
  }

  private func diagnostics(_ message: PluginMessage) -> [DiagnosticMessage] {
    guard case .expandMacroResult(_, let diagnostics) = message else { return [] }
    return diagnostics
  }

  @Test("answers with the protocol version that it speaks, whatever the compiler's")
  func capability() throws {
    let expected = PluginMessage.getCapabilityResult(capability: Capability(protocolVersion: 7))
    #expect(try reply(to: #"{"getCapability": {}}"#) == expected)
    #expect(try reply(to: #"{"getCapability": {"capability": {"protocolVersion": 99}}}"#) == expected)
  }

  @Test("expands an attached macro, and leaves out a conformance that is there")
  func expansion() throws {
    #expect(
      try attached("ReducerMacro", "extension", "@Reducer struct Foo {}")
        == .expandMacroResult(expandedSource: "extension Foo: HubReducers.Reducer {}", diagnostics: []))
    #expect(
      try attached("ReducerMacro", "extension", "@Reducer struct Foo {}", conformances: false)
        == .expandMacroResult(expandedSource: "", diagnostics: []))
  }

  @Test("puts a diagnostic at the offset in the file, counted in UTF-8, with its fix")
  func positions() throws {
    let source = "/* é */ @DependencyClient struct Ü { var f: () -> Int }"
    let diagnostic = try #require(
      diagnostics(try attached("DependencyClientMacro", "member", source, offset: 1000)).first)
    let start = 1000 + source.utf8.count - "f: () -> Int }".utf8.count
    #expect(diagnostic.severity == "error")
    #expect(diagnostic.position == .init(fileName: "a.swift", offset: start))
    #expect(
      diagnostic.highlights == [.init(fileName: "a.swift", startOffset: start, endOffset: start + 12)])
    let change = DiagnosticMessage.FixIt.Change(
      range: .init(fileName: "a.swift", startOffset: start + 12, endOffset: start + 12),
      newText: " = { <#Int#> }")
    #expect(diagnostic.fixIts == [.init(message: "Insert '= { <#Int#> }'", changes: [change])])
  }

  @Test(
    "refuses what it does not know with a diagnostic",
    arguments: [("CasePathableMacro", "peer"), ("ReducerMacro", "peer"), ("Other", "member")])
  func unknownMacros(macro: String, role: String) throws {
    let messages = diagnostics(try attached(macro, role, "enum E {}")).map(\.message)
    #expect(messages == ["HubMacrosPlugin has no macro '\(macro)' for the role '\(role)'"])
  }

  @Test("refuses freestanding macros")
  func freestanding() throws {
    let message = try reply(
      to: """
        {"expandFreestandingMacro": {
          "macro": {"moduleName": "HubMacrosPlugin", "typeName": "X", "name": "x"}, "discriminator": "$s",
          "syntax": {"kind": "expression", "source": "#x", "location": {"fileName": "a.swift", "offset": 7}}
        }}
        """)
    #expect(diagnostics(message).map(\.message) == ["HubMacrosPlugin has no freestanding macro 'X'"])
  }
}
