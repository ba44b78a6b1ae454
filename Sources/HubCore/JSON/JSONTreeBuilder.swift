// Owns the growing tree while a text is scanned: open containers, the current string, positions; no grammar.

struct JSONTreeBuilder: JSONVisitor {
  /// A string holds whole characters only.
  static var takesLoneSurrogates: Bool { false }

  /// The value of the whole text, once it has been scanned.
  private(set) var root = JSONValue(.null)

  /// Duplicate keys, each at its second position, in the order of the text.
  private(set) var duplicates: [JSONError] = []

  private let findsDuplicates: Bool
  private var open: [OpenContainer] = []
  private var string: [UInt8] = []
  private var position = JSONPosition.start

  /// A container whose end has not been read.
  private struct OpenContainer {
    let position: JSONPosition
    var elements: [JSONValue] = []
    var members: [JSONMember] = []
    var key: (name: String, position: JSONPosition)?
    /// The first position of each key; filled only if duplicates are refused.
    var keys: [String: JSONPosition] = [:]
  }

  init(findsDuplicates: Bool) {
    self.findsDuplicates = findsDuplicates
  }

  mutating func run(_ range: Range<Int>, of text: Span<UInt8>) {
    text.extracting(range).withUnsafeBytes { string.append(contentsOf: $0) }
  }

  mutating func scalar(_ scalar: Unicode.Scalar) {
    string.append(contentsOf: UTF8.encode(scalar)!)
  }

  mutating func string(at offset: Int, of text: Span<UInt8>) {
    let value = takeString()
    add(.string(value), at: place(offset, text))
  }

  mutating func key(at offset: Int, of text: Span<UInt8>) {
    let name = takeString()
    let position = place(offset, text)
    open[open.count - 1].key = (name, position)
    guard findsDuplicates else { return }
    if let first = open[open.count - 1].keys[name] {
      duplicates.append(JSONError(reason: .duplicateKey(name, first: first), position: position))
    } else {
      open[open.count - 1].keys[name] = position
    }
  }

  mutating func number(_ range: Range<Int>, of text: Span<UInt8>) {
    let digits = String(decoding: range.map { text[$0] }, as: UTF8.self)
    add(.number(JSONNumber(unchecked: digits)), at: place(range.lowerBound, text))
  }

  mutating func null(at offset: Int, of text: Span<UInt8>) {
    add(.null, at: place(offset, text))
  }

  mutating func boolean(_ value: Bool, at offset: Int, of text: Span<UInt8>) {
    add(.boolean(value), at: place(offset, text))
  }

  mutating func begin(_ container: JSONContainer, at offset: Int, of text: Span<UInt8>) {
    open.append(OpenContainer(position: place(offset, text)))
  }

  mutating func end(_ container: JSONContainer) {
    let closed = open.removeLast()
    switch container {
    case .array: add(.array(closed.elements), at: closed.position)
    case .object: add(.object(closed.members), at: closed.position)
    }
  }

  private mutating func add(_ content: JSONValue.Content, at position: JSONPosition) {
    let value = JSONValue(content, at: position)
    guard let last = open.indices.last else {
      root = value
      return
    }
    if let key = open[last].key {
      open[last].members.append(JSONMember(key.name, value, at: key.position))
      open[last].key = nil
    } else {
      open[last].elements.append(value)
    }
  }

  private mutating func takeString() -> String {
    defer { string.removeAll(keepingCapacity: true) }
    return String(decoding: string, as: UTF8.self)
  }

  /// The position of `offset`, which must not be before that of the previous call: one pass over the whole text.
  private mutating func place(_ offset: Int, _ text: Span<UInt8>) -> JSONPosition {
    position = position.advanced(to: offset, in: text)
    return position
  }
}
