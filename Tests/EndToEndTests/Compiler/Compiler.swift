// The compiler, asked what it says of a few lines that use the modules of this package.

import FoundationEssentials
import TestSupport

enum Compiler {
  /// The build folder of the programs that are here, whose modules the lines import.
  static let build = ChildProcess.built("statectl").split(separator: "/").dropLast()
    .reduce(into: "") { $0 += "/\($1)" }

  /// What SwiftPM calls this package: the name of its folder, in small letters, with only what a module's name may have.
  private static let package = String(
    checkout.split(separator: "/").last!.lowercased().map {
      $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_"
    })

  /// Where the compiler finds them, and the C header that they import.
  static let modules = [
    "-I", "\(build)/Modules", "-Xcc", "-fmodule-map-file=\(build)/CLinux.build/module.modulemap",
  ]

  /// The errors in a file with these lines, each with the number of its line.
  ///
  /// - Parameters:
  ///   - flow: also what only the way through the lines shows, such as a value that is used up.
  ///   - isInside: the file is one of this package, which sees more than the libraries' public declarations.
  ///   - library: the source of a module `Other`, which the file can import.
  ///   - options: of the compiler.
  static func errors(
    in source: String, flow: Bool = false, isInside: Bool = false, beside library: String? = nil,
    options: [String] = []
  ) async throws -> [(line: Int, message: String)] {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = directory.file("mistake.swift")
    try Data(source.utf8).write(to: URL(filePath: file))
    if let library {
      try directory.write(library, to: "Other.swift")
      let emission = try ChildProcess(
        "/usr/bin/env",
        ["swiftc", "-swift-version", "6", "-parse-as-library", "-emit-module", "-module-name", "Other"]
          + ["-emit-module-path", directory.file("Other.swiftmodule"), directory.file("Other.swift")],
        directory: directory)
      guard try await emission.ended() == .status(0) else {
        throw TestFailure("the other module does not compile: \(emission.standardError)")
      }
    }
    let compiler = try ChildProcess(
      "/usr/bin/env",
      ["swiftc"] + (flow ? ["-emit-sil", "-parse-as-library", "-o", "/dev/null"] : ["-typecheck"]) + modules
        + [
          "-swift-version", "6", "-load-plugin-executable", "\(build)/HubMacrosPlugin-tool#HubMacrosPlugin",
          "-I", directory.path, file,
        ] + options
        + (isInside ? ["-package-name", package] : []),
      directory: directory)
    _ = try await compiler.ended()
    return compiler.standardError.split(separator: "\n").compactMap { line in
      guard let parts = line.wholeMatch(of: /.*mistake\.swift:(\d+):\d+: error: (.*)/) else { return nil }
      return (Int(parts.1) ?? 0, String(parts.2))
    }
  }
}
