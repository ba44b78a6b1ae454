// Names of users, from /etc/passwd alone: a fully static program cannot ask the name service.

internal import Glibc

struct UserNames {
  private var names: [UInt32: String] = [:]

  init() {
    guard let file = fopen("/etc/passwd", "re") else { return }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, Int32(line.count), file) != nil {
      let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let fields = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count > 2, let uid = UInt32(String(decoding: fields[2], as: UTF8.self)) else { continue }
      // The first name of a number counts, as it does for the name service.
      if names[uid] == nil { names[uid] = ValueText.visible(String(decoding: fields[0], as: UTF8.self)) }
    }
  }

  /// `alice (1000)`, or `uid 1000` where the file knows no name.
  func text(of uid: UInt32) -> String { names[uid].map { "\($0) (\(uid))" } ?? "uid \(uid)" }
}
