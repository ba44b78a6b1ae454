// Owns the tests of the plugin as the compiler sees it: a process that reads and writes frames.

import Foundation
import Testing

@testable import HubMacros

@Suite("The plugin process")
struct PluginProcessTests {
  private let capability = PluginProcess.frame(#"{"getCapability":{}}"#)

  private func messages(_ outcome: PluginProcess.Outcome) throws -> [PluginMessage] {
    try outcome.frames.map { try JSONDecoder().decode(PluginMessage.self, from: Data($0)) }
  }

  @Test("answers each frame in turn, and ends with its input")
  func conversation() throws {
    let expansion = PluginProcess.frame(
      #"""
      {"expandAttachedMacro": {
        "macro": {"moduleName": "HubMacrosPlugin", "typeName": "ReducerMacro", "name": "Reducer"},
        "macroRole": "memberAttribute",
        "declSyntax": {"source": "enum Action {}", "location": {"fileName": "a.swift", "offset": 0}}
      }}
      """#)
    let outcome = try PluginProcess.run(capability + expansion + capability)
    let version = PluginMessage.getCapabilityResult(capability: Capability(protocolVersion: 7))
    #expect(
      try messages(outcome) == [
        version, .expandMacroResult(expandedSource: "@HubReducers.CasePathable", diagnostics: []), version,
      ])
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
  }

  @Test("ends at a length of zero, without reading on")
  func zeroLength() throws {
    let outcome = try PluginProcess.run(capability + [UInt8](repeating: 0, count: 8) + capability)
    #expect(outcome.frames.count == 1 && outcome.status == 0)
  }

  @Test("ends at once where there is no input")
  func noInput() throws {
    let outcome = try PluginProcess.run([])
    #expect(outcome.output.isEmpty && outcome.status == 0)
  }

  @Test(
    "names what is wrong with its input and fails",
    arguments: [
      ([1, 2, 3], "the input ended within a frame"),
      ([200, 0, 0, 0, 0, 0, 0, 0, 65], "the input ended within a frame"),
      ([0, 0, 0, 0, 0, 0, 0, 255], "is longer than"),
      (PluginProcess.frame("{"), "HubMacrosPlugin: "),
      (PluginProcess.frame(#"{"unknown":{}}"#), "HubMacrosPlugin: "),
    ] as [([UInt8], String)])
  func brokenInput(input: [UInt8], message: String) throws {
    let outcome = try PluginProcess.run(input)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(message))
  }

  @Test("moves messages larger than a pipe's buffer")
  func largeMessages() throws {
    let cases = (0..<5_000).map { "case c\($0)(Int)" }.joined(separator: ";")
    let outcome = try PluginProcess.run(
      PluginProcess.frame(
        """
        {"expandAttachedMacro": {
          "macro": {"moduleName": "HubMacrosPlugin", "typeName": "CasePathableMacro", "name": "M"},
          "macroRole": "member", "declSyntax":
            {"source": "enum E { \(cases) }", "location": {"fileName": "a.swift", "offset": 0}}
        }}
        """))
    guard case .expandMacroResult(let source?, _)? = try messages(outcome).first else {
      return #expect(Bool(false), "there is an expansion")
    }
    #expect(source.contains("public var c4999: HubReducers.AnyCasePath<E, Int>"))
  }
}
