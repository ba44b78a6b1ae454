// Owns what the scanner reports about a text as it reads it; it holds no text and no tree.

/// Receives a text's tokens from ``JSONScanner``: one call per token, in the order of the text.
///
/// A string or key arrives in pieces, so that escapes are decoded in one place only: any number of ``run(_:of:)`` and
/// ``scalar(_:)``, then ``string(at:of:)`` or ``key(at:of:)`` with the offset of its first byte.
/// Generic code specialises on the visitor: one that does nothing costs nothing.
protocol JSONVisitor {
  /// The grammar allows an escape for half of a surrogate pair, which is not a character. The scanner refuses it for a visitor
  /// that cannot keep it.
  static var takesLoneSurrogates: Bool { get }
  /// Unescaped bytes of the current string, valid UTF-8 once the string is complete.
  mutating func run(_ range: Range<Int>, of text: Span<UInt8>)
  /// A character of the current string that was written as an escape.
  mutating func scalar(_ scalar: Unicode.Scalar)
  mutating func string(at offset: Int, of text: Span<UInt8>)
  mutating func key(at offset: Int, of text: Span<UInt8>)
  mutating func number(_ range: Range<Int>, of text: Span<UInt8>)
  mutating func null(at offset: Int, of text: Span<UInt8>)
  mutating func boolean(_ value: Bool, at offset: Int, of text: Span<UInt8>)
  mutating func begin(_ container: JSONContainer, at offset: Int, of text: Span<UInt8>)
  mutating func end(_ container: JSONContainer)
}

/// The visitor for a text that is only checked.
struct JSONNullVisitor: JSONVisitor {
  static var takesLoneSurrogates: Bool { true }
  func run(_ range: Range<Int>, of text: Span<UInt8>) {}
  func scalar(_ scalar: Unicode.Scalar) {}
  func string(at offset: Int, of text: Span<UInt8>) {}
  func key(at offset: Int, of text: Span<UInt8>) {}
  func number(_ range: Range<Int>, of text: Span<UInt8>) {}
  func null(at offset: Int, of text: Span<UInt8>) {}
  func boolean(_ value: Bool, at offset: Int, of text: Span<UInt8>) {}
  func begin(_ container: JSONContainer, at offset: Int, of text: Span<UInt8>) {}
  func end(_ container: JSONContainer) {}
}

enum JSONContainer {
  case array, object
}
