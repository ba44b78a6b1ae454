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
  package var socket: String? {
    if let path = variable("STATEHUB_SOCKET") { return path }
    if isRoot { return "/run/statehub/hub.sock" }
    return (variable("XDG_RUNTIME_DIR") ?? runtimeDirectory).map { "\($0)/statehub/hub.sock" }
  }

  /// `statehub.json5` in the directory that a service manager names in `$CONFIGURATION_DIRECTORY`, else for root
  /// `/etc/statehub/statehub.json5`, else `$XDG_CONFIG_HOME/statehub/statehub.json5` with `~/.config` as the default;
  /// nil if there is no home either.
  package var configuration: String? {
    if let directory = variable("CONFIGURATION_DIRECTORY") { return "\(directory)/statehub.json5" }
    if isRoot { return "/etc/statehub/statehub.json5" }
    let home = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { "\($0)/.config" }
    return home.map { "\($0)/statehub/statehub.json5" }
  }

  /// The first of `$STATE_DIRECTORY` (a service manager separates several by colons), else
  /// `$XDG_STATE_HOME/statehub` with `~/.local/state` as the default; nil if there is no home either.
  package var stateDirectory: String? {
    if let directories = variable("STATE_DIRECTORY") {
      return directories.split(separator: ":").first.map(String.init)
    }
    let home = variable("XDG_STATE_HOME") ?? variable("HOME").map { "\($0)/.local/state" }
    return home.map { "\($0)/statehub" }
  }

  private func variable(_ name: String) -> String? {
    guard let value = environment(name), !value.isEmpty else { return nil }
    return value
  }
}
