// `describe`: asks for everything about a store.

package struct DescribeCommand: RequestCommand, StoreCommand {
  package let store: StoreKey

  package init(store: StoreKey) { self.store = store }

  package static let effect = RequestEffect.none

  package func request() throws(HubError) -> Request { .describe(try StoreReference(store)) }
}
