// `describe`: asks for everything about a store.

struct DescribeCommand: RequestCommand {
  let store: StoreKey

  static let effect = RequestEffect.none

  @inline(__always)
  init?(_ frame: FrameView) {
    guard let store = StoreKey(only: frame) else { return nil }
    self.store = store
  }

  func request() throws(HubError) -> Request { .describe(try StoreReference(store)) }
}
