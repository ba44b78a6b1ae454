// Names of users, from /etc/passwd only, because a fully static program cannot use the name service.

struct UserNames {
  private var names: [UInt32: String] = [:]

  init() {
    for fields in LocalAccount.entries(of: "/etc/passwd", fields: 3) {
      // The first name of a number counts, as it does for the name service.
      if let uid = UInt32(fields[2]), names[uid] == nil { names[uid] = ValueText.visible(fields[0]) }
    }
  }

  /// `alice (1000)`, or `user 1000` without a name in the file.
  func text(of uid: UInt32) -> String { names[uid].map { "\($0) (\(uid))" } ?? "user \(uid)" }
}
