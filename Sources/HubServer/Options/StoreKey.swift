// Owns the words of a declared store in a configuration file; reads none of them.

import HubCore

/// The keys of a declared store.
enum StoreKey {
  case type
  case field(SchemaField)
  /// Access rules, whose names are taken but which the hub does not know yet: whoever wrote them counts on
  /// them, so they are refused, never skipped.
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
