// A value of the durability tests: it tells who wrote it, and any damage to it shows.

public import HubCore

/// Everything about a value that the tests write: its type, who wrote it in which step, and how long it is.
public struct Cell: Hashable, Sendable, LosslessStringConvertible {
  public enum Form: Character, CaseIterable, Sendable {
    case integer = "i"
    case double = "d"
    case string = "s"
    case data = "b"
    case json = "j"
  }

  public var form: Form
  /// `Token`: the writer and the number of its step.
  public var token: Int64
  /// The length of what fills it up, for the types that have one.
  public var size: Int

  public init(_ form: Form, token: Int64, size: Int = 0) {
    self.form = form
    self.token = token
    self.size = form == .integer || form == .double ? 0 : size
  }

  public var value: Value {
    let filler = String(repeating: "abcdefgh", count: size / 8)
    return switch form {
    case .integer: .integer(token)
    case .double: .double(Double(token) + 0.5)
    case .string: .string("\(token)/\(filler)")
    case .data: .data(Array("\(token)/\(filler)".utf8))
    case .json: .json("{\"token\": \(token), \"filler\": \"\(filler)\"}")
    }
  }

  /// What a value must have been written as; nil if nobody wrote such a value.
  public init?(_ value: Value) {
    let found: Cell?
    switch value {
    case .integer(let token): found = Cell(.integer, token: token)
    case .double(let double): found = Cell(.double, token: Int64(exactly: double - 0.5) ?? -1)
    case .boolean: found = nil
    case .string(let text): found = Cell(.string, filled: text[...])
    case .data(let bytes): found = Cell(.data, filled: String(decoding: bytes, as: UTF8.self)[...])
    case .json(let text): found = Cell(.json, json: text)
    }
    guard let found, found.value == value else { return nil }
    self = found
  }

  private init?(_ form: Form, filled text: Substring) {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), let token = Int64(text[..<slash]) else {
      return nil
    }
    self.init(form, token: token, size: text.utf8.distance(from: slash, to: text.utf8.endIndex) - 1)
  }

  private init?(_ form: Form, json text: String) {
    let digits = text.utf8.dropFirst(10).prefix { $0 != UInt8(ascii: ",") }
    guard let token = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
    self.init(form, token: token, size: text.utf8.count - 25 - digits.count)
  }

  // MARK: As text

  public init?(_ description: String) {
    let parts = description.dropFirst().split(separator: ":")
    guard let form = description.first.flatMap(Form.init), let token = parts.first.flatMap({ Int64($0) })
    else {
      return nil
    }
    self.init(form, token: token, size: parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
  }

  public var description: String {
    size == 0 ? "\(form.rawValue)\(token)" : "\(form.rawValue)\(token):\(size)"
  }
}

/// Who wrote a value: writers count their steps, and a step's number is in all that it writes.
public enum Token {
  private static let stepsPerWriter: Int64 = 1_000_000_000

  public static func make(writer: Int, step: Int) -> Int64 { Int64(writer) * stepsPerWriter + Int64(step) }
  public static func writer(of token: Int64) -> Int { Int(token / stepsPerWriter) }
  public static func step(of token: Int64) -> Int { Int(token % stepsPerWriter) }
}
