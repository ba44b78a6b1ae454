// `reset`: gives a store its initial value back.

struct ResetCommand: OperationCommand, StoreCommand {
  let store: StoreKey

  func operation() throws(HubError) -> WriteOperation { .reset(try StoreReference(store)) }
}
