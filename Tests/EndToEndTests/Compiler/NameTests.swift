// The names of the libraries beside those of Foundation and the toolchain's other modules.

import Foundation
import TestSupport
import Testing

@Suite("The names of the libraries", .blocking)
struct NameTests {
  /// The libraries that a program imports.
  private static let modules = ["HubClient", "HubTesting", "HubReducers", "HubReducersTesting"]

  /// What `import HubClient` hands on of the modules below it.
  private static let handedOn = readFile("\(checkout)/Sources/HubClient/HubClient.swift").matches(
    of: /(?m)^@_exported public import \w+ \w+\.(\w+)$/
  ).map { String($0.1) }

  /// The names of the public types that stand in no other type.
  private static let names =
    handedOn
    + modules.flatMap { module in
      sources(of: module).flatMap { file in
        readFile(file).matches(
          of:
            /(?m)^(?:@\w+(?:\([^)]*\))?\s+)*public (?:final |indirect )?(?:struct|enum|class|actor|protocol|typealias) (\w+)/
        ).map { String($0.1) }
      }
    }

  private static func sources(of module: String) -> [String] {
    let folder = "\(checkout)/Sources/\(module)"
    let paths = FileManager.default.subpaths(atPath: folder) ?? []
    return paths.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.map { "\(folder)/\($0)" }
  }

  @Test("need no module's name before them in a program that imports Foundation as well")
  func unqualified() async throws {
    #expect(
      Self.names.contains("SharedValue") && Self.names.contains("Store") && Self.names.contains("Schema"))
    let errors = try await Compiler.errors(
      in: """
        import Dispatch
        import Foundation
        import HubClient
        import HubReducers
        import HubReducersTesting
        import HubTesting
        import Observation
        import Synchronization
        import Testing

        \(Self.names.enumerated().map { "typealias Name\($0) = \($1)" }.joined(separator: "\n"))
        """)
    // That another name stands for a generic type needs its arguments, which says nothing about the name.
    let clashes = errors.filter { !$0.message.contains("requires arguments") }
    #expect(clashes.isEmpty, "\(clashes)")
  }
}
