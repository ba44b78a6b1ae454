// `get`: asks for a store's value.

@usableFromInline package struct GetCommand: RequestCommand, StoreCommand {
  @usableFromInline package let store: StoreKey

  @inlinable package init(store: StoreKey) { self.store = store }

  package static let effect = RequestEffect.none

  package func request() throws(HubError) -> Request { .get(try StoreReference(store)) }
}
