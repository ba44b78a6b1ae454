// Owns a store as the configuration declares it.

public import HubCore

/// A store that the configuration declares: it exists from the start, and its rules cannot be changed at run time.
public struct StoreDeclaration: Hashable, Sendable {
  public let name: StoreName

  /// As ``HubCore/Schema/validated(store:)`` returns it.
  public let schema: Schema

  public init(name: StoreName, schema: Schema) {
    self.name = name
    self.schema = schema
  }
}
