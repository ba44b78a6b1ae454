// Owns the two entry points: check a text, or parse it into a tree. The grammar is the scanner's.

/// JSON texts (RFC 8259), read strictly and with positions.
package enum JSON {
  /// The most containers that may be open at once, for every caller; the default if the caller names no limit.
  package static let maximumDepth = JSONNesting.capacity

  /// Checks that `text` is one JSON value by RFC 8259 and nothing else.
  ///
  /// One pass for the encoding and one for the grammar, without allocation or recursion.
  ///
  /// - Parameter depthLimit: arrays and objects that may be open at once, `0...128`.
  /// - Throws: the first thing that is wrong. Line and column are counted only then.
  package static func validate(
    _ text: Span<UInt8>, depthLimit: Int = maximumDepth
  ) throws(JSONError) {
    var visitor = JSONNullVisitor()
    try scan(text, .strict, depthLimit, into: &visitor)
  }

  /// The same for bytes in memory, which the caller keeps alive and unchanged during the call.
  package static func validate(
    _ text: UnsafeRawBufferPointer, depthLimit: Int = maximumDepth
  ) throws(JSONError) {
    let bytes = text.assumingMemoryBound(to: UInt8.self)
    try validate(bytes.span, depthLimit: depthLimit)
  }

  /// Parses `text` into a tree whose every node knows its position.
  ///
  /// Costs memory in proportion to the text; `validate` checks a text without.
  ///
  /// - Throws: the first thing that is wrong. A duplicate key is wrong in a configuration only, and is thrown if nothing
  ///   else is wrong.
  package static func parse(
    _ text: Span<UInt8>, dialect: JSONDialect = .strict, depthLimit: Int = maximumDepth
  ) throws(JSONError) -> JSONValue {
    var builder = JSONTreeBuilder(findsDuplicates: dialect == .configuration)
    try scan(text, dialect, depthLimit, into: &builder)
    if let first = builder.duplicates.first { throw first }
    return builder.root
  }

  /// Parses a configuration and continues after duplicate keys, so that the caller can report them together with its own
  /// findings.
  ///
  /// - Parameter duplicates: gets an error for every key that its object already has. The tree keeps all members.
  package static func parseConfiguration(
    _ text: Span<UInt8>, duplicates: inout [JSONError]
  ) throws(JSONError) -> JSONValue {
    var builder = JSONTreeBuilder(findsDuplicates: true)
    try scan(text, .configuration, maximumDepth, into: &builder)
    duplicates += builder.duplicates
    return builder.root
  }

  /// The encoding first, the grammar second: from here on the scanner handles only ASCII.
  private static func scan(
    _ text: Span<UInt8>, _ dialect: JSONDialect, _ depthLimit: Int, into visitor: inout some JSONVisitor
  ) throws(JSONError) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: text)
    } catch {
      let place = JSONPosition.start.advanced(to: error.byteOffsets.lowerBound, in: text)
      throw JSONError(reason: .invalidUTF8, position: place)
    }
    var scanner = JSONScanner(dialect: dialect, depthLimit: depthLimit)
    try scanner.scan(text, into: &visitor)
  }
}
