// The unit and the app that a client's process belongs to, and how access rules and options spell them.

/// The unit and the app of a process, according to its control group.
public struct PeerOrigin: Hashable, Sendable {
  /// The unit of the system's service manager, for example `cups.service`; empty: none, or unknown.
  public var unit: String
  /// The unit of the user's own service manager; empty: none.
  public var userUnit: String
  /// The ID of the Flatpak app, or the name of the snap; empty: none.
  public var app: String

  /// Names a unit and an app; each may be empty.
  public init(unit: String = "", userUnit: String = "", app: String = "") {
    (self.unit, self.userUnit, self.app) = (unit, userUnit, app)
  }

  package subscript(kind: ProgramKind) -> String {
    get {
      switch kind {
      case .unit: unit
      case .userUnit: userUnit
      case .app: app
      }
    }
    set {
      switch kind {
      case .unit: unit = newValue
      case .userUnit: userUnit = newValue
      case .app: app = newValue
      }
    }
  }

  /// The most specific part, as in an access rule, for example `app:org.gnome.Maps`; nil: there is none.
  package var label: String? {
    ProgramKind.allCases.last { !self[$0].isEmpty }.map { "\($0.rawValue):\(self[$0])" }
  }
}

extension OutputBuffer {
  package mutating func append(_ origin: PeerOrigin) {
    for kind in ProgramKind.allCases { append(short: origin[kind]) }
  }
}

extension ByteReader {
  package mutating func peerOrigin() -> PeerOrigin {
    let unit = shortBytes().text
    let userUnit = shortBytes().text
    return PeerOrigin(unit: unit, userUnit: userUnit, app: shortBytes().text)
  }
}

/// What can be named of an origin, each more specific than the one before it.
package enum ProgramKind: String, CaseIterable, Sendable {
  case unit
  case userUnit = "user-unit"
  case app

  /// The longest name of a unit.
  package static let longestName = 255
  private static let unitSuffixes = [".service", ".scope"]

  /// Whether a process can belong to a unit of this name.
  package static func isUnit(_ name: some StringProtocol) -> Bool {
    name.utf8.count <= longestName && unitSuffixes.contains { name.hasSuffix($0) && name != $0 }
      && name.utf8.allSatisfy(isUnitByte)
  }

  private static func isUnitByte(_ byte: UInt8) -> Bool { isAppByte(byte) || #":@\"#.utf8.contains(byte) }

  private static func isAppByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "._-".utf8.contains(byte)
    }
  }

  /// Why a name cannot be one of this kind; nil: it can.
  package func problem(in name: String) -> String? {
    let quoted = JSONWriter.quoted("\(rawValue):\(name)")
    switch self {
    case .app:
      let isValid =
        !name.isEmpty && name.utf8.count <= ProgramKind.longestName
        && name.utf8.allSatisfy(ProgramKind.isAppByte)
      return isValid
        ? nil
        : "\(quoted) is not an app: give a Flatpak app's ID, such as app:org.gnome.Maps, or a snap's name"
    case .unit, .userUnit:
      if ProgramKind.isUnit(name) { return nil }
      if !name.utf8.allSatisfy(ProgramKind.isUnitByte) || name.utf8.count > ProgramKind.longestName {
        return
          "\(quoted) is not a unit name: use letters, digits and :._-@\\, at most \(ProgramKind.longestName) of them"
      }
      let stem = name.prefix { $0 != "." }
      let example = "\(rawValue):\(stem.isEmpty ? "backup" : stem).service"
      if name.isEmpty || stem.count == name.count {
        return "\(quoted) is not a complete unit name: include its suffix, such as \(example)"
      }
      return "\(quoted) is not a .service or .scope, and only these have processes: name the unit that runs "
        + "the program, such as \(example)"
    }
  }
}

/// The identity in the value of `--as`: a user, programs such as `app:ID`, or both, separated by commas.
package struct AskedIdentity: Sendable {
  /// The user's name or number; nil: the caller.
  package private(set) var user: String?
  /// Nil: none was given.
  package private(set) var origin: PeerOrigin?
  private let text: String

  package init(_ text: String) throws(HubError) {
    self.text = text
    for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2, let kind = ProgramKind(rawValue: parts[0]) {
        if let problem = kind.problem(in: parts[1]) { throw HubError(.invalidName, problem) }
        var origin = origin ?? PeerOrigin()
        origin[kind] = parts[1]
        self.origin = origin
      } else if user == nil, !word.isEmpty {
        user = word
      } else {
        throw HubError(
          .invalidName, "\(JSONWriter.quoted(text)) is not a user and a program, such as alice,app:ID")
      }
    }
  }

  /// The text, with the caller as its user if it names only programs: the answer is about the caller's programs.
  package func title(caller: UInt32) -> String { user == nil ? "\(caller),\(text)" : text }
}
