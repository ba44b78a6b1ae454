// Owns the smallest unit of Swift source: where a token starts and ends, and what precedes it.

struct Token: Equatable, Sendable {
  enum Kind: Sendable {
    /// A name or keyword; with backticks when the source has them. Also `$0` and `_`.
    case word
    case number
    /// A whole string literal, with its delimiters and everything interpolated.
    case string
    case regex
    /// `#if`, `#elseif`, `#else` or `#endif`.
    case directive
    /// Any other `#name`.
    case pound
    /// One character of punctuation or of an operator: readers put operators together, because `>>` closes two generic
    /// argument lists in a type and is one operator in an expression.
    case symbol
    case end
  }

  /// What separates a token from the one before it.
  enum Gap: Int, Comparable, Sendable {
    case none, space, newline
    static func < (lhs: Gap, rhs: Gap) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  var kind: Kind
  /// UTF-8 offsets into the source.
  var start: Int
  var end: Int
  var gap: Gap
}

/// Source that the scanner cannot read, and where it stopped understanding.
struct SyntaxFailure: Error, Equatable, Sendable {
  var message: String
  /// UTF-8 offset into the source.
  var offset: Int
}
