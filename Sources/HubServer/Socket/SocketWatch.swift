// When to check that the sockets' files are in place: after a change, and repeatedly while one is missing.

import HubSystem

struct SocketWatch: ~Copyable {
  /// Nil: the system has none left. Then the hub looks at intervals.
  private let files = try? FileWatch()
  /// When to look, in nanoseconds of CLOCK_BOOTTIME; `.max`: only after a change.
  private(set) var deadline: UInt64 = 0
  /// What was wrong at the last look.
  private var problems: [String] = []

  /// In nanoseconds.
  static let pause: UInt64 = 10_000_000_000
  /// The delay before checking a removed socket, in nanoseconds: its directory may be about to be removed as well.
  private static let settling: UInt64 = 100_000_000

  /// Readable after a change; -1: never.
  var raw: Int32 {
    switch files {
    case .some(let files): files.raw
    case .none: -1
    }
  }

  mutating func noteChange(now: UInt64) {
    switch files {
    case .some(let files): files.clear()
    case .none: break
    }
    deadline = min(deadline, now + SocketWatch.settling)
  }

  /// - Parameters:
  ///   - paths: the sockets' paths. What is there instead of a socket is watched as well: its end lets the hub return.
  ///   - problems: where no client can connect, and why.
  /// - Returns: the problems if they have changed since the last look.
  mutating func looked(at paths: [String], _ problems: [String], now: UInt64) -> [String]? {
    let areWatched = paths.reduce(true) { isWatched($1) && $0 }
    deadline = areWatched && problems.isEmpty ? .max : now + SocketWatch.pause
    if problems == self.problems { return nil }
    self.problems = problems
    return problems
  }

  private func isWatched(_ path: String) -> Bool {
    switch files {
    case .some(let files):
      let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
      _ = files.watch(directory.isEmpty ? "/" : directory, isDirectory: true)
      return files.watch(path) == nil
    case .none: return false
    }
  }
}
