// Owns the reading of a configuration file's text into options; it opens no file and reads no environment.

import HubCore
import HubEngine

extension ServerOptions {
  /// Applies the text of a configuration file. `docs/configuration.md` describes every key; options that the file does not
  /// name are unchanged.
  ///
  /// - Parameters:
  ///   - file: the file's name in errors.
  ///   - accounts: finds the users and groups that access rules name.
  /// - Throws: every error in the text, not only the first. The options are then unchanged.
  package mutating func configure(
    parsing text: Span<UInt8>, file: String, accounts: AccountNames = .system
  ) throws(ConfigurationError) {
    var duplicates: [JSONError] = []
    let root: JSONValue
    do {
      root = try JSON.parseConfiguration(text, duplicates: &duplicates)
    } catch {
      throw ConfigurationError(problems: [ConfigurationProblem(file: file, error)])
    }
    var reader = ConfigurationReader(file: file, accounts: accounts)
    for duplicate in duplicates { reader.reject(duplicate) }
    let options = reader.options(root, from: self)
    try reader.finish()
    self = options
  }
}

extension ConfigurationReader {
  /// `standard` changed by the file; only valid if there was no problem.
  fileprivate mutating func options(_ root: JSONValue, from standard: ServerOptions) -> ServerOptions {
    var options = standard
    var storesNode: ConfigurationNode?
    for (key, node) in members(of: ConfigurationNode(root: root), as: Setting.keys) {
      if key == Setting.storesKey {
        storesNode = node
        options.declarations = stores(node)
      } else {
        Setting.all.first { $0.key == key }?.configure(&options, node, &self)
      }
    }
    judgeAccess(&options)
    let maximum = options.engine.maximumStores
    if let storesNode, options.declarations.count > maximum {
      reject(
        storesNode.atKey, "\(options.declarations.count) stores are declared, but maxStores allows \(maximum)"
      )
    }
    return options
  }
}
