// The name of a store: what makes it valid, and nothing about which stores exist.

/// A store's name: dot-separated components of `[A-Za-z0-9_-]`, 1 to 255 bytes in total, for example `audio.volume`.
public struct StoreName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name as text, valid and 1 to 255 bytes long.
  public let text: String

  /// The longest name, in bytes.
  public static let maximumLength = 255

  /// - Throws: `HubError` with the code `invalidName` and a message that explains the problem.
  public init(_ text: String) throws(HubError) {
    var copy = text
    let problem = copy.withUTF8 { StoreName.problem(in: ByteView(UnsafeRawBufferPointer($0))) }
    if let problem { throw HubError(.invalidName, store: text, problem) }
    self.text = text
  }

  static let all = StoreName(known: "all")

  private init(known text: String) { self.text = text }

  /// For bytes that were already checked.
  package init(checked bytes: ByteView) { text = bytes.text }

  public var description: String { text }

  /// Orders names by their bytes, as in lists and views.
  public static func < (a: StoreName, b: StoreName) -> Bool { a.text < b.text }

  /// Whether the name is reserved for the hub: `statehub` and the names under `statehub.` are.
  public var isReserved: Bool { text == "statehub" || text.hasPrefix("statehub.") }

  /// Why `bytes` are not a name, or nil.
  package static func problem(in bytes: ByteView) -> String? {
    if bytes.isEmpty { return "a name must have at least one character" }
    if bytes.count > maximumLength {
      return "a name can have at most \(maximumLength) bytes; this one has \(bytes.count)"
    }
    var componentLength = 0
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: ".") {
        if componentLength == 0 { return "a name cannot have an empty component: check the dots" }
        componentLength = 0
      } else if isNameByte(byte) {
        componentLength += 1
      } else {
        return "a name can contain only A-Z a-z 0-9 _ - and dots"
      }
    }
    return componentLength == 0 ? "a name cannot end with a dot" : nil
  }

  /// A-Z a-z 0-9 _ -, looked up without a branch, because a start may check a million names byte by byte.
  @inline(__always)
  static func isNameByte(_ byte: UInt8) -> Bool {
    // The bytes below 64, and the next 64.
    let bits: UInt64 = byte & 0x40 == 0 ? 0x03FF_2000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
    return byte & 0x80 == 0 && bits >> UInt64(byte & 0x3F) & 1 != 0
  }
}
