// `toggle`: inverts a boolean.

struct ToggleCommand: OperationCommand {
  let store: StoreKey

  @inline(__always)
  init?(_ frame: FrameView) {
    guard let store = StoreKey(only: frame) else { return nil }
    self.store = store
  }

  func operation() throws(HubError) -> WriteOperation { .toggle(try StoreReference(store)) }
}
