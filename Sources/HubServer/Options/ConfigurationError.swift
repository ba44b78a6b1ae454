// Owns the errors in a configuration file: what, where, and their text; it does not find them.

package import HubCore

/// Everything that is wrong with a configuration file, none of which was applied.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// At least one, in the order of the file.
  package let problems: [ConfigurationProblem]

  /// More are counted.
  private static let mostLines = 100

  /// One line for each problem.
  package var description: String {
    let lines = problems.prefix(ConfigurationError.mostLines).map(\.description)
    let rest = problems.count - lines.count
    return (lines + (rest == 0 ? [] : ["and \(rest) more"])).joined(separator: "\n")
  }
}

/// One error.
package struct ConfigurationProblem: Hashable, Sendable {
  package let file: String
  package let position: JSONPosition

  /// The keys that lead to it, as in `stores."audio.volume".choices[2]`; nil for the file itself, and for errors in the
  /// file's grammar.
  package let path: String?

  /// What is wrong, and what would be right.
  package let message: String

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
  /// `statehub.json5:3:14: stores.volume.maximum: expected an integer, found the string "7"`
  package var description: String {
    "\(file):\(position.line):\(position.column): " + (path.map { "\($0): " } ?? "") + message
  }
}
