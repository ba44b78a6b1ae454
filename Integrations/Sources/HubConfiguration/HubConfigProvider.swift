// Stores of a hub as a provider of Swift Configuration. `StoreContent` converts the values.

public import Configuration
public import HubClient
import HubMirror
public import ServiceLifecycle

/// Configuration from a hub: `statectl set app.http.timeout 30` reaches every watcher.
///
///     let provider = try await HubConfigProvider(hub: Hub(), prefix: "app")
///     let config = ConfigReader(providers: [EnvironmentVariablesProvider(), provider])
///     let group = ServiceGroup(services: [hub, provider, server], logger: logger)
///
/// A key's parts, joined with dots, are a store's name after the prefix. The provider has these stores' values once it is
/// created, and follows them as a service: `value` and `snapshot` read memory, and a watcher gets a change as soon as it is made.
/// A snapshot is the state of all stores at one revision, so values that were set in one transaction appear together. While the
/// hub is away, and when the service has ended, the last values stay.
///
/// Integers, doubles, booleans, strings and data are stores of these types; a whole number also serves as a double. Arrays are
/// JSON (`statectl set app.hosts --type json '["a", "b"]'`), with chunks of bytes as base64. If the store has another type than
/// the program requests, reading fails with `typeMismatch`. A missing store, and a key that cannot be a store's name, have no
/// value.
public final class HubConfigProvider: Sendable {
  /// Which values are not shown in logs, by the store's name.
  public typealias Secrets = SecretsSpecifier<String, HubValue>

  private let mirror: HubMirror
  private let prefix: String
  private let secrets: Secrets

  /// Waits until the hub has sent all values. Without a hub the program starts after `timeout`: no key has a value here then, so
  /// the next provider or the program's default applies until the hub is there.
  ///
  /// - Parameters:
  ///   - prefix: what the stores' names begin with, without the dot; empty: a key is a store's name.
  ///   - timeout: how long to wait for a hub that cannot be reached.
  ///   - isRequired: fail if there is no hub in that time.
  ///   - secrets: the values that are not shown in logs.
  /// - Throws: `invalidPattern` if the prefix is not one; `denied`; if the hub is required, `noHub` and the like when it is not
  ///   there in time.
  public init(
    hub: Hub, prefix: String = "", timeout: Duration = .seconds(5), isRequired: Bool = false,
    secrets: Secrets = .none
  ) async throws(HubError) {
    mirror = try await HubMirror(hub: hub, prefix: prefix, timeout: timeout, isRequired: isRequired)
    self.prefix = prefix
    self.secrets = secrets
  }

  /// Whether the hub is connected, and since when not: how old the values may be.
  public var status: HubStatus { mirror.hub.status }

  private func store(of key: AbsoluteConfigKey) -> String {
    mirror.storeName(key.components.joined(separator: "."))
  }
}

extension HubConfigProvider: Service {
  /// Follows the stores until the group shuts down, the task is cancelled, or the Hub is closed.
  ///
  /// - Throws: errors that waiting cannot fix.
  public func run() async throws { try await mirror.run() }
}

extension HubConfigProvider: ConfigProvider {
  /// `HubConfigProvider[prefix]`.
  public var providerName: String { prefix.isEmpty ? "HubConfigProvider" : "HubConfigProvider[\(prefix)]" }

  /// The last value that the provider has received, from memory.
  public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    try lookUp(store(of: key), type, in: mirror.values)
  }

  /// The value in the hub. This is a request, which waits for an absent hub like any other.
  public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
    let store = store(of: key)
    do throws(HubError) {
      return try result(store, try await mirror.hub.anyValue(store).get(), type)
    } catch {
      guard [.noSuchStore, .invalidName].contains(error.code) else { throw error }
      return LookupResult(encodedKey: store, value: nil)
    }
  }

  /// The current value, and then each newer one: only the newest, if the watcher is slower. A value of another type, and the
  /// end of the provider's access to the hub, come as failures.
  public func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws ->
      Return
  ) async throws -> Return {
    let store = store(of: key)
    let updates = mirror.updates { WatchedValue(value: $0.values[store], end: $0.end) }
    return try await updatesHandler(
      ConfigUpdatesAsyncSequence(
        updates.map { [self] watched in
          Result<LookupResult, any Error> {
            if let end = watched.end { throw end }
            return try result(store, watched.value, type)
          }
        }))
  }

  /// All values at one revision.
  public func snapshot() -> any ConfigSnapshot { Snapshot(provider: self, values: mirror.values) }

  /// The current snapshot, and then each newer one: only the newest, if the watcher is slower.
  public func watchSnapshot<Return: ~Copyable>(
    updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
  ) async throws -> Return {
    let updates = mirror.updates { $0.values }
    return try await updatesHandler(
      ConfigUpdatesAsyncSequence(
        updates.map { [self] values -> any ConfigSnapshot in Snapshot(provider: self, values: values) }))
  }

  private func lookUp(
    _ store: String, _ type: ConfigType, in values: [String: HubValue]
  ) throws(HubError) -> LookupResult {
    try result(store, values[store], type)
  }

  private func result(_ store: String, _ value: HubValue?, _ type: ConfigType) throws(HubError)
    -> LookupResult
  {
    guard let value else { return LookupResult(encodedKey: store, value: nil) }
    guard let content = ConfigContent(value, as: type) else {
      throw HubError(
        .typeMismatch, store: store,
        "the store holds \(value), of type \(value.type), not a value of type \(type.rawValue)")
    }
    let isSecret = secrets.isSecret(key: store, value: value)
    return LookupResult(encodedKey: store, value: ConfigValue(content, isSecret: isSecret))
  }

  /// What a watcher of one key compares.
  private struct WatchedValue: Equatable, Sendable {
    var value: HubValue?
    var end: HubError?
  }

  /// The stores' values at one revision.
  private struct Snapshot: ConfigSnapshot {
    let provider: HubConfigProvider
    let values: [String: HubValue]

    var providerName: String { provider.providerName }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      try provider.lookUp(provider.store(of: key), type, in: values)
    }
  }
}
