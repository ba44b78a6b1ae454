// Owns what is wrong with a configuration file, where, and how people are told; it finds nothing itself.

public import HubCore

/// Everything that is wrong with a configuration file, none of which was applied.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// At least one, in the order of the file.
  public let problems: [ConfigurationProblem]

  /// One line for each problem.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// One error.
public struct ConfigurationProblem: Hashable, Sendable {
  public let file: String
  public let position: JSONPosition

  /// The keys that lead to it, as in `stores."audio.volume".choices[2]`; nil for the file itself, and for errors in the
  /// file's grammar.
  public let path: String?

  /// What is wrong, and what would be right.
  public let message: String

  init(file: String, position: JSONPosition, path: String?, message: String) {
    self.file = file
    self.position = position
    self.path = path
    self.message = message
  }

  init(file: String, _ error: JSONError) {
    self.init(file: file, position: error.position, path: nil, message: error.reason.description)
  }
}

extension ConfigurationProblem: CustomStringConvertible {
  /// `statehub.json5:3:14: stores.volume.maximum: expected an integer, found a string`
  public var description: String {
    "\(file):\(position.line):\(position.column): " + (path.map { "\($0): " } ?? "") + message
  }
}
