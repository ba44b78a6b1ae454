// The public declarations of a module as the compiler lists them, and as docs/api shows them: one line each, members below
// their types.

import Foundation
import TestSupport

struct PublicSurface {
  /// How many declarations there are, members and cases included.
  let count: Int
  private let module: String
  private let lines: [String]

  init(of module: String) async throws {
    let output = try TemporaryDirectory()
    defer { withExtendedLifetime(output) {} }
    let extraction = try ChildProcess(
      "/usr/bin/env",
      [
        "swift-symbolgraph-extract", "-module-name", module, "-target",
        "\(Self.architecture)-unknown-linux-gnu", "-output-dir", output.path, "-minimum-access-level",
        "public", "-skip-synthesized-members", "-skip-inherited-docs",
      ] + Compiler.modules,
      directory: output)
    guard try await extraction.ended() == .status(0) else {
      throw TestFailure("the symbols of \(module) cannot be read: \(extraction.standardError)")
    }
    // Besides the module's own there is a file for each module that it extends.
    let graphs = try FileManager.default.contentsOfDirectory(atPath: output.path).sorted()
      .filter { $0 == "\(module).symbols.json" || $0.hasPrefix("\(module)@") }
      .map { try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(filePath: output.file($0)))) }
    let symbols = graphs.flatMap(\.symbols)
    let conformances = Dictionary(grouping: graphs.flatMap(\.relationships), by: \.source)
    self.module = module
    count = symbols.count
    lines = symbols.sorted { ($0.path, $0.declaration) < ($1.path, $1.declaration) }.map { symbol in
      let protocols = (conformances[symbol.identifier.precise] ?? []).compactMap(\.conformance)
      let list = protocols.isEmpty ? "" : ": " + Set(protocols).sorted().joined(separator: ", ")
      return String(repeating: "  ", count: symbol.pathComponents.count - 1) + symbol.declaration + list
    }
  }

  var page: String {
    """
    # \(module)

    Its \(count) public declarations, as the compiler lists them. A test holds this page to the code:
    `STATEHUB_WRITE_PAGES=1 swift test --filter PublicSurfaceTests` writes it.

    ```swift
    \(lines.joined(separator: "\n"))
    ```

    """
  }

  #if arch(x86_64)
    private static let architecture = "x86_64"
  #else
    private static let architecture = "aarch64"
  #endif
}

/// What the compiler's list holds of it.
private struct Graph: Decodable {
  struct Symbol: Decodable {
    struct Identifier: Decodable { let precise: String }
    struct Fragment: Decodable { let spelling: String }
    let identifier: Identifier
    let pathComponents: [String]
    let declarationFragments: [Fragment]

    var path: String { pathComponents.joined(separator: ".") }
    /// In one line, whatever the source makes of it.
    var declaration: String {
      declarationFragments.map(\.spelling).joined().split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
    }
  }

  struct Relationship: Decodable {
    let kind: String
    let source: String
    let targetFallback: String?

    /// The protocol, unless it is one that nearly every type has.
    var conformance: String? {
      guard kind == "conformsTo", let target = targetFallback else { return nil }
      let name = target.split(separator: ".").last.map(String.init) ?? target
      return ["Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"].contains(name) ? nil : name
    }
  }

  let symbols: [Symbol]
  let relationships: [Relationship]
}
