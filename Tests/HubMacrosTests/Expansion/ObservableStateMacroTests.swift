// Owns the tests of what @ObservableState adds.

import Testing

@testable import HubMacros

@Suite("@ObservableState")
struct ObservableStateMacroTests {
  @Test("adds the conformance unless the type has it", arguments: ["struct Foo {}", "enum Foo { case a }"])
  func conformance(source: String) throws {
    #expect(
      try expand("ObservableStateMacro", .extension, "@ObservableState " + source)
        == "extension Outer.Foo: nonisolated HubReducers.ObservableState {}")
    #expect(try expand("ObservableStateMacro", .extension, source, lacks: []) == "")
  }

  @Test("rejects what is no value")
  func rejected() {
    #expect(
      rejections("ObservableStateMacro", .extension, "class Foo {}") == [
        "class: '@ObservableState' needs a struct or an enum, and 'Foo' is of kind 'class'"
      ])
  }
}
