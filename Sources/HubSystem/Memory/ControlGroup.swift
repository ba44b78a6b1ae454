// How much memory the process's control group may use, as far as the system shows it (cgroups v2).

package enum ControlGroup {
  /// The least limit of the process's group and of those above it, in bytes; nil: there is none, or it is not shown.
  package static var memoryLimit: Int? {
    memoryLimit { path in
      (try? File.contents(of: path, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// - Parameter contents: the text of a file; nil: it cannot be read.
  package static func memoryLimit(_ contents: (String) -> String?) -> Int? {
    let lines = (contents("/proc/self/cgroup") ?? "").split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("0::/") }) else { return nil }
    var group = String(line.dropFirst("0::".count))
    var least: Int?
    while true {
      let path = group == "/" ? "" : group
      let text = contents("/sys/fs/cgroup\(path)/memory.max") ?? ""
      if let limit = Int(text.prefix { $0.isNumber }) { least = min(least ?? limit, limit) }
      guard !path.isEmpty, let slash = group.lastIndex(of: "/") else { return least }
      group = slash == group.startIndex ? "/" : String(group[..<slash])
    }
  }
}
