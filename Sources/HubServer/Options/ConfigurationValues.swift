// Owns how a configuration writes a store's values; it judges them by their type alone.

import HubCore

extension ConfigurationReader {
  /// The node as a value of exactly `type`.
  mutating func value(_ node: ConfigurationNode, of type: ValueType) -> Value? {
    do throws(Value.Mismatch) {
      return try Value(node.value, as: type, json: .asValue)
    } catch {
      switch error {
      case .unexpected(let expected): reject(node, expected: expected)
      case .base64(let error): reject(node, "expected base64 with its padding: \(error)")
      case .text(let error): reject(node, "not JSON: \(error)")
      }
      return nil
    }
  }
}
