// `toggle`: inverts a boolean.

package struct ToggleCommand: OperationCommand, StoreCommand {
  package let store: StoreKey

  package init(store: StoreKey) { self.store = store }

  package func operation() throws(HubError) -> WriteOperation { .toggle(try StoreReference(store)) }
}
