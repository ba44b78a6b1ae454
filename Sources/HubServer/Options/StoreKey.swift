// Owns the words of a declared store in a configuration file; reads none of them.

/// The keys of a declared store.
enum StoreKey: String, CaseIterable {
  case type, initial, minimum, maximum, choices, maxBytes, durability, description

  /// Access rules, whose names are taken but which the hub does not know yet: whoever wrote them counts on
  /// them, so they are refused, never skipped.
  case readers, writers
}
