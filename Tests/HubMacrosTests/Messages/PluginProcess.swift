// Owns a plugin process of a test: the executable beside the test program, and frames to and from it.

import Foundation

struct PluginProcess {
  /// Where the build puts it, beside the program that runs the tests.
  static var executable: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "HubMacrosPlugin-tool")
  }

  /// What came back, and how the process ended.
  struct Outcome {
    var output: [UInt8]
    var errors: String
    var status: Int32

    /// The payloads of the frames.
    var frames: [[UInt8]] {
      var frames: [[UInt8]] = []
      var rest = output[...]
      while rest.count >= 8 {
        let length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        frames.append(Array(rest.dropFirst(8).prefix(length)))
        rest = rest.dropFirst(8 + length)
      }
      return frames
    }
  }

  static func frame(_ payload: String) -> [UInt8] {
    let count = UInt64(payload.utf8.count)
    return (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) } + Array(payload.utf8)
  }

  /// Runs the plugin on `input`, which ends after that.
  static func run(_ input: [UInt8]) throws -> Outcome {
    let process = Process()
    process.executableURL = executable
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input))
    try stdin.fileHandleForWriting.close()
    let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
    let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      output: Array(output), errors: String(decoding: errors, as: UTF8.self),
      status: process.terminationStatus)
  }
}
