// How frames hold a list of patterns: a count, then each pattern with its length.

extension ByteReader {
  /// The texts, whose contents are not checked yet; nil if the frame is truncated.
  mutating func patternTexts() -> [String]? {
    var patterns: [String] = []
    for _ in 0..<Int(integer(UInt16.self)) {
      patterns.append(shortBytes().text)
      if failed { return nil }
    }
    return failed ? nil : patterns
  }
}

extension OutputBuffer {
  /// Appends the patterns, at most as many as can be counted: see `Request.objection`.
  mutating func append(_ patterns: [NamePattern]) {
    let patterns = patterns.prefix(Int(UInt16.max))
    append(UInt16(patterns.count))
    for pattern in patterns { append(short: pattern.text) }
  }
}

extension [NamePattern] {
  /// - Throws: `invalidPattern` for the first text that is not a pattern.
  init(checking texts: [String]) throws(HubError) {
    self = []
    for text in texts { append(try NamePattern(text)) }
  }
}
