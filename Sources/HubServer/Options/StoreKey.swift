// Owns the keys of a declared store in a configuration file; it reads none of them.

import HubCore

/// The keys of a declared store.
enum StoreKey {
  case type
  case field(SchemaField)
  /// The short forms of an access rule.
  case readers
  case writers

  /// Every key, in the order in which errors name them.
  static let words = ["type"] + SchemaField.all.map(\.key) + ["readers", "writers"]

  init?(word: String) {
    if word == "type" {
      self = .type
    } else if let field = SchemaField.all.first(where: { $0.key == word }) {
      self = .field(field)
    } else if word == "readers" {
      self = .readers
    } else if word == "writers" {
      self = .writers
    } else {
      return nil
    }
  }
}
