// The paths of the programs that tests and examples start.

internal import EtcdProcesses
internal import Foundation

package enum Programs {
  /// The hub's: `STATEHUB`, else the one that was built in this checkout, if there is one.
  package static var hub: String {
    get throws {
      try find("STATEHUB", ["../../../../.build/debug/statehub", "../../../../../.build/debug/statehub"])
    }
  }

  /// The bridge's: `STATEHUB_BRIDGE`, else the one beside this program.
  package static var bridge: String {
    get throws { try find("STATEHUB_BRIDGE", ["statehub-bridge"]) }
  }

  private static func find(_ variable: String, _ places: [String]) throws -> String {
    if let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty { return path }
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    // Tests run in a program of the toolchain's; theirs is its first argument's neighbour.
    let bundle = CommandLine.arguments.compactMap { $0.contains(".xctest") ? URL(filePath: $0) : nil }
    for folder in [own] + bundle.map({ $0.deletingLastPathComponent() }) {
      for place in places {
        let path = folder.resolvingSymlinksInPath().appending(path: place).standardizedFileURL.path
        if FileManager.default.isExecutableFile(atPath: path) { return path }
      }
    }
    throw ProcessFailure(
      "\(places[0].split(separator: "/").last ?? "") is not there: build it, or name it in \(variable)")
  }
}
