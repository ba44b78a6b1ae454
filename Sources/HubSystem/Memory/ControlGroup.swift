// The control group that limits the process's memory, as far as the system shows it (cgroups v2 and v1).

/// Its own group, or one above it: the one with the least limit.
package struct ControlGroup: Sendable, Equatable {
  /// In bytes.
  package let memoryLimit: Int
  private let directory: String
  private let isFirst: Bool

  /// Nil: no limit is set, or none is shown.
  package static var limiting: ControlGroup? { limiting(contents) }

  /// - Parameter contents: the text of a file; nil: it cannot be read.
  package static func limiting(_ contents: (String) -> String?) -> ControlGroup? {
    var least: ControlGroup?
    for line in (contents("/proc/self/cgroup") ?? "").split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let isFirst = fields[1].split(separator: ",").contains("memory")
      guard isFirst || fields[1].isEmpty else { continue }
      let (root, file) =
        isFirst
        ? ("/sys/fs/cgroup/memory", "memory.limit_in_bytes") : ("/sys/fs/cgroup", "memory.max")
      // Of a namespace or container, only its own part of the tree is shown, as the root.
      var parts = fields[2].split(separator: "/").filter { $0 != ".." }
      while true {
        let directory = ([Substring(root)] + parts).joined(separator: "/")
        if let limit = number(contents("\(directory)/\(file)")), limit < least?.memoryLimit ?? unlimited {
          least = ControlGroup(memoryLimit: limit, directory: directory, isFirst: isFirst)
        }
        if parts.popLast() == nil { break }
      }
    }
    return least
  }

  /// Version 1 shows the largest number of whole pages instead of none.
  private static let unlimited = 1 << 62

  /// The memory of the group's processes, without the file cache that the kernel can take back first, in bytes; nil: not shown.
  package var memoryUse: Int? { memoryUse(ControlGroup.contents) }

  package func memoryUse(_ contents: (String) -> String?) -> Int? {
    let (use, cache) =
      isFirst
      ? ("memory.usage_in_bytes", "total_inactive_file ") : ("memory.current", "inactive_file ")
    guard let total = ControlGroup.number(contents("\(directory)/\(use)")) else { return nil }
    let lines = (contents("\(directory)/memory.stat") ?? "").split(separator: "\n")
    let line = lines.first { $0.hasPrefix(cache) }
    return max(0, total - (line.flatMap { Int($0.dropFirst(cache.utf8.count)) } ?? 0))
  }

  /// The number at the beginning of a text; nil: it begins with none, such as "max".
  private static func number(_ text: String?) -> Int? { Int((text ?? "").prefix { $0.isNumber }) }

  private static func contents(of path: String) -> String? {
    (try? File.contents(of: path, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
  }
}
