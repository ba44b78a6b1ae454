// Owns a value's location in a configuration, as keys and as a position; it does not check values.

import HubCore

/// A value of the file, and the keys that lead to it.
struct ConfigurationNode {
  let value: JSONValue
  /// Nil for the file itself.
  let path: String?
  /// Where a problem with it is reported.
  let position: JSONPosition
  private let keyPosition: JSONPosition

  init(root: JSONValue) {
    self.init(value: root, path: nil, position: root.position, keyPosition: root.position)
  }

  private init(value: JSONValue, path: String?, position: JSONPosition, keyPosition: JSONPosition) {
    self.value = value
    self.path = path
    self.position = position
    self.keyPosition = keyPosition
  }

  /// The same node, for a problem with its key.
  var atKey: ConfigurationNode {
    ConfigurationNode(value: value, path: path, position: keyPosition, keyPosition: keyPosition)
  }

  func member(_ member: JSONMember) -> ConfigurationNode {
    let isWord = member.key.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
    let step = isWord && !member.key.isEmpty ? member.key : JSONWriter.quoted(member.key)
    return ConfigurationNode(
      value: member.value, path: path.map { "\($0).\(step)" } ?? step, position: member.value.position,
      keyPosition: member.keyPosition)
  }

  func element(_ value: JSONValue, at index: Int) -> ConfigurationNode {
    ConfigurationNode(
      value: value, path: "\(path ?? "")[\(index)]", position: value.position, keyPosition: value.position)
  }
}
