// Owns the reading of a configuration file's text into options; opens no file and looks at no environment.

import HubCore

extension ServerOptions {
  /// Takes over what the text of a configuration file says. `docs/configuration.md` describes every key; what the file
  /// does not name stays as it is.
  ///
  /// - Parameter file: the name that errors give the file.
  /// - Throws: everything that is wrong with the text, not only the first thing. The options are then as they were.
  public mutating func configure(parsing text: Span<UInt8>, file: String) throws(ConfigurationError) {
    var duplicates: [JSONError] = []
    let root: JSONValue
    do {
      root = try JSON.parseConfiguration(text, duplicates: &duplicates)
    } catch {
      throw ConfigurationError(problems: [ConfigurationProblem(file: file, error)])
    }
    var reader = ConfigurationReader(file: file)
    for duplicate in duplicates { reader.reject(duplicate) }
    let options = reader.options(root, from: self)
    try reader.finish()
    self = options
  }
}

extension ConfigurationReader {
  /// `standard` with what the file says, to be used only if no problem was found.
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
    let maximum = options.engine.maximumStores
    if let storesNode, options.declarations.count > maximum {
      reject(
        storesNode.atKey, "\(options.declarations.count) stores are declared, maxStores allows \(maximum)")
    }
    return options
  }
}
