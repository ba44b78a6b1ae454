// The default paths of a hub's socket and configuration. It looks at names, never at files.

/// The default paths, as the environment determines them.
package struct DefaultPaths: Sendable {
  private let isRoot: Bool
  private let runtimeDirectory: String?
  private let environment: @Sendable (String) -> String?

  /// - Parameters:
  ///   - runtimeDirectory: replaces `$XDG_RUNTIME_DIR` where that is not set.
  ///   - environment: the value of a variable; an empty one counts as unset.
  package init(
    isRoot: Bool, runtimeDirectory: String? = nil, environment: @escaping @Sendable (String) -> String?
  ) {
    self.isRoot = isRoot
    self.runtimeDirectory = runtimeDirectory
    self.environment = environment
  }

  /// `$STATEHUB_SOCKET`, else for root `/run/statehub/hub.sock`, else `statehub/hub.sock` in `$XDG_RUNTIME_DIR`, by default the
  /// user's `/run/user/UID`; nil if there is neither.
  ///
  /// - Throws: `ServerError.environment`, as the others.
  package func socket() throws(ServerError) -> String? {
    if let path = variable("STATEHUB_SOCKET") { return path }
    if isRoot { return "/run/statehub/hub.sock" }
    return (try directory("XDG_RUNTIME_DIR") ?? runtimeDirectory).map { "\($0)/statehub/hub.sock" }
  }

  /// `statehub.json5` in the directories that a service manager names in `$CONFIGURATION_DIRECTORY`, of which the first that has
  /// one counts, else for root `/etc/statehub/statehub.json5`, else `$XDG_CONFIG_HOME/statehub/statehub.json5` with `~/.config`
  /// as the default; none if there is no home either.
  package func configurations() throws(ServerError) -> [String] {
    if let directories = try directories("CONFIGURATION_DIRECTORY") {
      return directories.map { "\($0)/statehub.json5" }
    }
    if isRoot { return ["/etc/statehub/statehub.json5"] }
    return try home("XDG_CONFIG_HOME", ".config").map { ["\($0)/statehub/statehub.json5"] } ?? []
  }

  /// The first of `$STATE_DIRECTORY`, else `$XDG_STATE_HOME/statehub` with `~/.local/state` as the default; nil if there is no
  /// home either.
  package func stateDirectory() throws(ServerError) -> String? {
    if let directories = try directories("STATE_DIRECTORY") { return directories[0] }
    return try home("XDG_STATE_HOME", ".local/state").map { "\($0)/statehub" }
  }

  private func home(_ name: String, _ standard: String) throws(ServerError) -> String? {
    if let directory = try directory(name) { return directory }
    return try directory("HOME").map { "\($0)/\(standard)" }
  }

  /// A service manager separates several by colons.
  private func directories(_ name: String) throws(ServerError) -> [String]? {
    guard let value = variable(name) else { return nil }
    let directories = value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if directories.allSatisfy({ $0.first == "/" }) { return directories }
    throw .environment(variable: name, value: value, reason: "expected absolute paths, separated by colons")
  }

  private func directory(_ name: String) throws(ServerError) -> String? {
    guard let value = variable(name), value.first != "/" else { return variable(name) }
    throw .environment(variable: name, value: value, reason: "expected an absolute path")
  }

  private func variable(_ name: String) -> String? {
    guard let value = environment(name), !value.isEmpty else { return nil }
    return value
  }
}
