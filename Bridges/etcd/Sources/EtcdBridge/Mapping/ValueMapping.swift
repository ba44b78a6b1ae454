// The values of keys as values of stores, and back.

package import FoundationEssentials
package import HubClient

/// The kind of values of a prefix.
package enum ValueMapping: String, Sendable, CaseIterable {
  /// JSON: numbers, booleans and strings are stores of those types, everything else is a store of type json.
  case json
  /// Texts in UTF-8: stores of type string.
  case text
  /// Any bytes: stores of type data.
  case data

  /// Why a value cannot be converted.
  package struct Mismatch: Error, Equatable { package let reason: String }

  /// The longest value that fits into a message of a hub with default settings, with a name and its fields.
  static let longestValue = (1 << 20) - 1024

  /// A key's value for a store.
  ///
  /// - Parameter type: the store's, which it keeps if the value fits it; nil: there is no store.
  package func value(_ bytes: Data, fitting type: ValueType?) throws(Mismatch) -> HubValue {
    if bytes.count > ValueMapping.longestValue {
      throw Mismatch(reason: "its value has \(bytes.count) bytes, more than a hub's message takes")
    }
    switch self {
    case .data: return .data([UInt8](bytes))
    case .text:
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Mismatch(reason: "its value is not UTF-8")
      }
      return .string(text)
    case .json: return try JSONText.value(bytes, fitting: type)
    }
  }

  /// A store's value for a key.
  package func bytes(_ value: HubValue) throws(Mismatch) -> Data {
    switch (self, value) {
    case (.data, .data(let bytes)): return Data(bytes)
    case (.text, .string(let text)): return Data(text.utf8)
    case (.json, _): return try JSONText.bytes(value)
    case (.data, _): throw Mismatch(reason: "the bridge keeps bytes here: give it a value of type data")
    case (.text, _): throw Mismatch(reason: "the bridge keeps texts here: give it a value of type string")
    }
  }
}
