// `reset`: gives a store its initial value back.

struct ResetCommand: OperationCommand {
  let store: StoreKey

  @inline(__always)
  init?(_ frame: FrameView) {
    guard let store = StoreKey(only: frame) else { return nil }
    self.store = store
  }

  func operation() throws(HubError) -> WriteOperation { .reset(try StoreReference(store)) }
}
