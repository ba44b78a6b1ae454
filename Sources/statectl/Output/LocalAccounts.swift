// Owns the look-up of users in /etc/passwd and /etc/group, because a fully static program cannot use the name service.

internal import HubCore
internal import HubSystem

/// A user with all of their groups.
struct LocalAccount {
  let uid: UInt32
  let groups: [UInt32]

  /// - Parameter text: a name, or a number, which need not be in the files.
  /// - Throws: `usage` if the files have no such name.
  init(_ text: String) throws(Failure) {
    let entry = LocalAccount.entries(of: "/etc/passwd", fields: 4).first { $0[0] == text || $0[2] == text }
    guard let uid = entry.flatMap({ UInt32($0[2]) }) ?? UInt32(text) else {
      throw .usage(
        "/etc/passwd has no user '\(text)'",
        hint: "use the number, or statehub access, which asks the name service")
    }
    self.uid = uid
    let own = entry.flatMap { UInt32($0[3]) }
    let others = LocalAccount.entries(of: "/etc/group", fields: 4).filter { group in
      entry.map { group[3].split(separator: ",").contains(Substring($0[0])) } ?? false
    }
    groups = (own.map { [$0] } ?? []) + others.compactMap { UInt32($0[2]) }
  }

  /// The lines of such a file, each as its fields, at least so many.
  static func entries(of path: String, fields count: Int) -> [[String]] {
    let bytes = (try? File.contents(of: path, limit: LocalAccount.longest)) ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      return fields.count < count ? nil : fields.map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Of a longer file, what is beyond this many bytes is not known.
  private static let longest = 16 << 20
}
