// Owns the keys of a declared store in a configuration file; it reads none of them.

import HubCore

/// The keys of a declared store.
enum StoreKey {
  case type
  case field(SchemaField)
  /// Access rules: reserved keys that the hub does not support yet. Their author relies on them, so they are refused, never
  /// skipped.
  case accessRule

  private static let accessRules = ["readers", "writers"]

  /// Every key, in the order in which errors name them.
  static let words = ["type"] + SchemaField.all.map(\.key) + accessRules

  init?(word: String) {
    if word == "type" {
      self = .type
    } else if let field = SchemaField.all.first(where: { $0.key == word }) {
      self = .field(field)
    } else if StoreKey.accessRules.contains(word) {
      self = .accessRule
    } else {
      return nil
    }
  }
}
