// Owns the hub's settings, one row each: key, accepted values, property in the options, and what a reload may change.

import HubCore
import HubEngine

/// A setting of the hub. A new one is a property of ``ServerOptions`` or of the engine's options, with its default, and a
/// row in ``all``; reading, images, reloads and the configuration page's tests follow.
struct Setting: Sendable {
  /// What happens to a changed value when the hub reloads.
  enum OnReload: Sendable {
    case takesEffect
    /// The current value stays until the hub is stopped and started, if `condition` holds for the current options.
    case waits(if: @Sendable (ServerOptions) -> Bool = { _ in true })
  }

  /// Its key in a configuration file; nil: it cannot be configured.
  let key: String?
  let onReload: OnReload
  /// Reads it from a configuration file; the reader notes errors.
  let configure: @Sendable (inout ServerOptions, ConfigurationNode, inout ConfigurationReader) -> Void
  let write: @Sendable (ServerOptions, inout OutputBuffer) -> Void
  /// Reads it from an image; false if the image has no valid value.
  let restore: @Sendable (inout ServerOptions, inout ByteReader) -> Bool
  /// Copies the value from other options; returns both as text if they differed.
  let take: @Sendable (inout ServerOptions, _ others: ServerOptions) -> (own: String, others: String)?

  private init<Form: SettingForm>(
    _ key: String?, _ path: any WritableKeyPath<ServerOptions, Form.Value> & Sendable, _ form: Form,
    _ onReload: OnReload = .takesEffect
  ) {
    self.key = key
    self.onReload = onReload
    configure = { options, node, reader in
      if let value = form.read(node, &reader) { options[keyPath: path] = value }
    }
    write = { options, out in form.write(options[keyPath: path], to: &out) }
    restore = { options, reader in
      guard let value = form.restore(from: &reader) else { return false }
      options[keyPath: path] = value
      return true
    }
    take = { options, others in
      let (own, other) = (options[keyPath: path], others[keyPath: path])
      if own == other { return nil }
      options[keyPath: path] = other
      return (form.text(own), form.text(other))
    }
  }

  /// In the order of an image.
  static let all = [
    Setting("socket", \.socketPath, SocketPathForm(), .waits()),
    Setting(nil, \.isSystem, FlagForm(), .waits()),
    Setting("maxClients", \.maxClients, NumberForm(1...1_048_576, inImage: 1...1 << 20)),
    Setting(nil, \.heldBytes, NumberForm()),
    Setting(nil, \.stopMilliseconds, NumberForm()),
    Setting("logLevel", \.logLevel, ChoiceForm()),
    Setting("requireDeclaration", \.engine.requiresDeclaration, FlagForm()),
    // A change would have to be journaled for every store.
    Setting("durability", \.engine.defaultDurability, ChoiceForm(), .waits { $0.stateDirectory != nil }),
    // Clients have been informed of the longest frames, in both directions.
    Setting(
      "maxFrameBytes", \.engine.maximumFrameLength,
      NumberForm(65_536...1_073_741_824, inImage: 1024...Int(UInt32.max), isSize: true), .waits()),
    Setting(
      "changeLogBytes", \.engine.changeLogBytes,
      NumberForm(65_536...17_179_869_184, inImage: 64...1 << 40, isSize: true)),
    Setting("maxStores", \.engine.maximumStores, NumberForm(1...100_000_000)),
    Setting(nil, \.engine.maximumWatches, NumberForm()),
    Setting(nil, \.engine.rememberedRemovals, NumberForm()),
    Setting("stateDirectory", \.stateDirectory, DirectoryForm(), .waits()),
    Setting(
      "snapshotThresholdBytes", \.snapshotThresholdBytes, NumberForm(65_536...17_179_869_184, isSize: true)),
    Setting(
      "handshakeTimeoutMilliseconds", \.handshakeTimeoutMilliseconds,
      NumberForm(100...3_600_000, inImage: 100...3_600_000)),
    Setting("defaultAccess", \.access.defaultAccess, ChoiceForm()),
    Setting("access", \.access.rules, AccessRulesForm()),
    Setting(
      "maxUserClients", \.maxUserClients, NumberForm(1...1_048_576, inImage: 1...1 << 20)),
    Setting(
      "userConnectsPerSecond", \.userConnectsPerSecond, NumberForm(1...1_000_000, inImage: 1...1_000_000)),
    Setting("sandbox", \.usesSandbox, FlagForm()),
    Setting("sockets", \.sockets, SocketsForm()),
    Setting("maxUserStores", \.engine.maximumUserStores, NumberForm(1...100_000_000)),
    Setting(
      "maxMemoryBytes", \.engine.maximumMemory, NumberForm(1_048_576...1_099_511_627_776, isSize: true)),
    Setting(
      "maxUserMemoryBytes", \.engine.maximumUserMemory, NumberForm(65_536...1_099_511_627_776, isSize: true)),
    Setting(
      "historyBytes", \.engine.historyBytes, NumberForm(0...17_179_869_184, isSize: true)),
    Setting("providers", \.providers, ProvidersForm()),
    Setting("socketGroup", \.socketGroup, GroupForm(), .waits()),
  ]

  /// The key of the declared stores, which are not a setting: `DeclaredStores` reads them.
  static let storesKey = "stores"

  /// Every key of a configuration file.
  static let keys = all.compactMap(\.key) + [storesKey]
}
