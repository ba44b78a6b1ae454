// Owns a store as the configuration declares it.

package import HubCore
package import HubEngine

/// A store that the configuration declares: it exists from the start, and its rules cannot be changed at run time.
package struct StoreDeclaration: Hashable, Sendable {
  package let name: StoreName

  /// As ``HubCore/Schema/validated(store:)`` returns it.
  package let schema: Schema
  /// Who may read it; nil: the access rules decide.
  package var readers: [AccessSubject]?
  /// Who may write it; nil: the access rules decide.
  package var writers: [AccessSubject]?

  package init(name: StoreName, schema: Schema) {
    self.name = name
    self.schema = schema
  }
}
