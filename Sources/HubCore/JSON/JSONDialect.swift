// Owns which texts count as JSON: the standard only, or with extensions for configurations.

/// A set of accepted texts.
package enum JSONDialect: Hashable, Sendable {
  /// RFC 8259 and nothing else: UTF-8 without a byte order mark. The grammar allows half of a surrogate pair, as in
  /// `"\ud800"`, which is not text: `validate` accepts it, `parse` refuses it. Duplicate keys are allowed, and kept in
  /// order.
  case strict

  /// RFC 8259 and this part of JSON5:
  ///
  /// - comments, `//` to the end of the line and `/* */` (not nested), wherever a space is allowed
  /// - one trailing comma in arrays and objects
  /// - keys without quotes, if they are ASCII words: `[A-Za-z_$][A-Za-z0-9_$]*`
  /// - strings in apostrophes, and the escape `\'` in any string
  /// - a backslash at the end of a line continues a string on the next line
  /// - a byte order mark at the start
  ///
  /// Not accepted: the other number forms of JSON5 (`0x10`, `.5`, `5.`, `+5`, `Infinity`, `NaN`), its other escapes
  /// (`\x41`, `\v`, `\0`) and non-ASCII spaces. A duplicate key in an object is an error.
  case configuration
}
