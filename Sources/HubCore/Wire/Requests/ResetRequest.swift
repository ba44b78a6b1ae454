// `reset`: restores a store's initial value.

package struct ResetCommand: OperationCommand, StoreCommand {
  package let store: StoreKey

  package init(store: StoreKey) { self.store = store }

  package func operation() throws(HubError) -> WriteOperation { .reset(try StoreReference(store)) }
}
