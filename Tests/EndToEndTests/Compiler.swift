// What the compiler says about a file of somebody else's that imports the libraries. It builds nothing.

import FoundationEssentials
import TestSupport

enum Compiler {
  /// The build folder of the programs that are here, whose modules the file imports.
  private static let build = ChildProcess.built("statectl").split(separator: "/").dropLast()
    .reduce(into: "") { $0 += "/\($1)" }

  /// The errors in a file with these lines, each with the number of its line.
  static func errors(in source: String) async throws -> [(line: Int, message: String)] {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = directory.file("program.swift")
    try Data(source.utf8).write(to: URL(filePath: file))
    let compiler = try ChildProcess(
      "/usr/bin/env",
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-I", "\(Self.build)/Modules", "-Xcc",
        "-fmodule-map-file=\(Self.build)/CLinux.build/module.modulemap", "-load-plugin-executable",
        "\(Self.build)/HubMacros-tool#HubMacros", file,
      ],
      directory: directory)
    _ = try await compiler.ended(atMost: 120)
    return compiler.standardError.split(separator: "\n").compactMap { line in
      guard let parts = line.wholeMatch(of: /.*program\.swift:(\d+):\d+: error: (.*)/) else { return nil }
      return (Int(parts.1) ?? 0, String(parts.2))
    }
  }
}
