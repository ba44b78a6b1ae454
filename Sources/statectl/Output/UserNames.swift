// Names of users, from /etc/passwd alone: a fully static program cannot ask the name service.

internal import HubSystem

struct UserNames {
  private var names: [UInt32: String] = [:]

  init() {
    let bytes = (try? File.contents(of: "/etc/passwd", limit: UserNames.longest)) ?? []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count > 2, let uid = UInt32(String(decoding: fields[2], as: UTF8.self)) else { continue }
      // The first name of a number counts, as it does for the name service.
      if names[uid] == nil { names[uid] = ValueText.visible(String(decoding: fields[0], as: UTF8.self)) }
    }
  }

  /// Of a longer file, names beyond this many bytes are not known.
  private static let longest = 16 << 20

  /// `alice (1000)`, or `uid 1000` where the file knows no name.
  func text(of uid: UInt32) -> String { names[uid].map { "\($0) (\(uid))" } ?? "uid \(uid)" }
}
