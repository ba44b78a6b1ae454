// Names of users, from /etc/passwd alone: a fully static program cannot ask the name service.

internal import Glibc

enum UserName {
  /// `alice (1000)`, or `uid 1000` where the file knows no name.
  static func text(of uid: UInt32) -> String {
    guard let file = fopen("/etc/passwd", "re") else { return "uid \(uid)" }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, Int32(line.count), file) != nil {
      let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let fields = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count > 2, UInt32(String(decoding: fields[2], as: UTF8.self)) == uid else { continue }
      return "\(ValueText.visible(String(decoding: fields[0], as: UTF8.self))) (\(uid))"
    }
    return "uid \(uid)"
  }
}
