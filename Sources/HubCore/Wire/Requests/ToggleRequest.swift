// `toggle`: inverts a boolean.

struct ToggleCommand: OperationCommand, StoreCommand {
  let store: StoreKey

  func operation() throws(HubError) -> WriteOperation { .toggle(try StoreReference(store)) }
}
