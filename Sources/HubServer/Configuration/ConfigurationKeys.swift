// Owns the words of a configuration file: its keys, and the whole numbers that they take; reads none of them.

/// The keys of the file itself.
enum SettingKey: String, CaseIterable {
  case socket, strict, logLevel, changeLogBytes, maxFrameBytes, maxClients, helloMilliseconds, maxStores,
    durability
  case stateDirectory, journalBytes, stores
}

/// The keys of a declared store.
enum StoreKey: String, CaseIterable {
  case type, initial, minimum, maximum, choices, maxBytes, durability, description

  /// Access rules, whose names are taken but which the hub does not know yet: whoever wrote them counts on
  /// them, so they are refused, never skipped.
  case readers, writers
}

/// The least and greatest numbers that make sense; all are below what the hub's own fields can hold.
enum ConfigurationRange {
  static let changeLogBytes = 65_536...17_179_869_184
  static let journalBytes = 65_536...17_179_869_184
  static let maxFrameBytes = 65_536...1_073_741_824
  static let maxClients = 1...1_048_576
  static let helloMilliseconds = 100...3_600_000
  static let maxStores = 1...100_000_000
  static let maxBytes = 1...1_073_741_824
}
