// `describe`: asks for everything about a store.

struct DescribeCommand: RequestCommand, StoreCommand {
  let store: StoreKey

  static let effect = RequestEffect.none

  func request() throws(HubError) -> Request { .describe(try StoreReference(store)) }
}
