// Stores of a hub as a provider of Swift Configuration. How a value becomes what is asked for is `StoreContent`'s business.

public import Configuration
public import HubClient
import HubMirror

/// Configuration that lives in a hub: `statectl set app.http.timeout 30`, and every watcher has it.
///
///     let provider = try await HubConfigProvider(hub: Hub(), prefix: "app")
///     let config = ConfigReader(providers: [EnvironmentVariablesProvider(), provider])
///     try await config.watchInt(forKey: "http.timeout", default: 10) { timeouts in
///       for try await timeout in timeouts { … }
///     }
///
/// A key's parts, joined with dots, are a store's name behind the prefix. The provider follows these stores as long as it
/// exists: `value` and `snapshot` read memory, and a watcher hears of a change as soon as it is made, not when a file is
/// looked at again. A snapshot is the state of all stores at one revision, so that values that were set in one transaction
/// are seen together. While the hub is away the provider goes on with the values that it has seen.
///
/// Integers, doubles, booleans, strings and data are stores of these types; a whole number also serves as a double. Arrays are
/// JSON (`statectl set app.hosts --type json '["a", "b"]'`), chunks of bytes in it base64. A store of another type than
/// the program asks for is an error, whose code is `typeMismatch`; no store, and a key that cannot be a store's name, are no
/// value.
public final class HubConfigProvider: Sendable {
  /// Which values are not shown in logs, by the store's name.
  public typealias Secrets = SecretsSpecifier<String, HubValue>

  private let mirror: HubMirror
  private let prefix: String
  private let secrets: Secrets

  /// Waits until the hub has sent all values. A program starts without the hub, too: then no key has a value here, so that the next
  /// provider or the program's default counts, until the hub comes.
  ///
  /// - Parameters:
  ///   - prefix: what the stores' names begin with, without the dot; empty: a key is a store's name.
  ///   - timeout: how long to wait for a hub that cannot be reached.
  ///   - isRequired: without a hub in that time, fail.
  ///   - secrets: the values that are not shown in logs.
  /// - Throws: `invalidPattern` if the prefix is not one; `denied`; if the hub is required, `noHub` and others when it is not there
  ///   in time.
  public init(
    hub: Hub, prefix: String = "", timeout: Duration = .seconds(5), isRequired: Bool = false,
    secrets: Secrets = .none
  ) async throws(HubError) {
    mirror = try await HubMirror(hub: hub, prefix: prefix, timeout: timeout, isRequired: isRequired)
    self.prefix = prefix
    self.secrets = secrets
  }

  /// Whether the hub is reached, and since when not: how old the values may be.
  public var status: HubStatus { mirror.hub.status }

  private func store(of key: AbsoluteConfigKey) -> String {
    mirror.storeName(key.components.joined(separator: "."))
  }
}

extension HubConfigProvider: ConfigProvider {
  /// `HubConfigProvider[prefix]`.
  public var providerName: String { prefix.isEmpty ? "HubConfigProvider" : "HubConfigProvider[\(prefix)]" }

  /// The value as the provider has seen it last: it reads memory.
  public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    try lookUp(store(of: key), type, in: mirror.values)
  }

  /// The value in the hub: one request, which waits for a hub that is away as any other does.
  public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
    let store = store(of: key)
    do throws(HubError) {
      return try result(store, try await mirror.hub.anyValue(store).current, type)
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
        "the store holds \(value), of type \(value.type), which is no \(type.rawValue)")
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
