// Owns what each key of the file means for the configuration; knows nothing of JSON's grammar.

import HubCore

extension ConfigurationReader {
  /// The configuration that a file describes, to be used only if no problem was found.
  mutating func configuration(_ root: JSONValue) -> Configuration {
    var configuration = Configuration()
    var storesNode: ConfigurationNode?
    for (key, node) in members(of: ConfigurationNode(root: root), as: SettingKey.self) {
      switch key {
      case .socket: configuration.socket = path(node, limit: Configuration.longestSocketPath)
      case .strict: set(&configuration.strict, boolean(node))
      case .logLevel: set(&configuration.logLevel, choice(node, of: LogLevel.allCases))
      case .changeLogBytes:
        set(&configuration.changeLogBytes, integer(node, in: ConfigurationRange.changeLogBytes))
      case .maxFrameBytes:
        set(&configuration.maxFrameBytes, integer(node, in: ConfigurationRange.maxFrameBytes))
      case .maxClients: set(&configuration.maxClients, integer(node, in: ConfigurationRange.maxClients))
      case .helloMilliseconds:
        set(&configuration.helloMilliseconds, integer(node, in: ConfigurationRange.helloMilliseconds))
      case .maxStores: set(&configuration.maxStores, integer(node, in: ConfigurationRange.maxStores))
      case .durability: configuration.durability = choice(node, of: Durability.allCases)
      case .stateDirectory: configuration.stateDirectory = path(node, limit: Configuration.longestPath)
      case .journalBytes: set(&configuration.journalBytes, integer(node, in: ConfigurationRange.journalBytes))
      case .stores:
        storesNode = node
        configuration.stores = stores(node)
      }
    }
    if let storesNode, configuration.stores.count > configuration.maxStores {
      reject(
        storesNode.atKey,
        "\(configuration.stores.count) stores are declared, maxStores allows \(configuration.maxStores)")
    }
    return configuration
  }

  private func set<Setting>(_ setting: inout Setting, _ value: Setting?) {
    if let value { setting = value }
  }
}
