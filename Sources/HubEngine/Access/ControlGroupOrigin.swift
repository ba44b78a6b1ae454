// Finds the unit and the app of a process in the text of /proc/PID/cgroup.

package import HubCore

extension PeerOrigin {
  /// The unit that is nearest to the root counts, whatever groups are below it: their names are up to the unit's processes.
  ///
  /// - Parameters:
  ///   - text: all lines of the file.
  ///   - uid: the process's user. Units of other users' service managers are not the user's own.
  package init(controlGroups text: String, uid: UInt32) {
    self.init()
    var groups = PeerOrigin.path(in: text).split(separator: "/")[...]
    guard let unit = PeerOrigin.takeUnit(from: &groups) else { return }
    self.unit = unit
    if uid != PeerIdentity.nobody, unit == "user@\(uid).service" {
      userUnit = PeerOrigin.takeUnit(from: &groups) ?? ""
    }
    app = PeerOrigin.app(of: userUnit.isEmpty ? unit : userUnit) ?? ""
  }

  /// The path in the hierarchy of version 2; if systemd does not use that, in its own of version 1.
  private static func path(in text: String) -> Substring {
    let lines = text.split(separator: "\n").map {
      $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    }
    let second = lines.first { $0.count == 3 && $0[0] == "0" && $0[1].isEmpty && $0[2] != "/" }
    return (second ?? lines.first { $0.count == 3 && $0[1] == "name=systemd" })?[2] ?? ""
  }

  /// Takes the groups up to the first that is not a slice, if that is a unit's.
  private static func takeUnit(from groups: inout ArraySlice<Substring>) -> String? {
    while let group = groups.popFirst() {
      // systemd puts it before names that the kernel uses itself.
      let name = group.hasPrefix("_") ? group.dropFirst() : group
      if name.hasSuffix(".slice") { continue }
      return ProgramKind.isUnit(name) ? String(name) : nil
    }
    return nil
  }

  /// The app that a unit's name stands for: `app-flatpak-ID-NUMBER.scope`, `snap.NAME.APP.service` or `snap.NAME.APP-UUID.scope`.
  private static func app(of unit: String) -> String? {
    let flatpak = "app-flatpak-"
    var name: String?
    if unit.hasPrefix(flatpak), unit.hasSuffix(".scope") {
      let rest = unit.dropFirst(flatpak.utf8.count).dropLast(".scope".utf8.count)
      name = rest.lastIndex(of: "-").flatMap { unescaped(rest[..<$0]) }
    } else if unit.hasPrefix("snap.") {
      let parts = unit.split(separator: ".", omittingEmptySubsequences: false)
      if parts.count >= 4 { name = unescaped(parts[1]) }
    }
    return name.flatMap { ProgramKind.app.problem(in: $0) == nil ? $0 : nil }
  }

  /// Without systemd's escapes, for example `-` for `\x2d`; nil if one is broken.
  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: #"\"#) else {
        bytes.append(byte)
        continue
      }
      guard rest.popFirst() == UInt8(ascii: "x"), rest.count >= 2,
        let escaped = UInt8(String(rest.prefix(2)) ?? "", radix: 16)
      else { return nil }
      bytes.append(escaped)
      rest.removeFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
