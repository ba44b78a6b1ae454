// `get`: asks for a store's value.

struct GetCommand: RequestCommand, StoreCommand {
  let store: StoreKey

  static let effect = RequestEffect.none

  func request() throws(HubError) -> Request { .get(try StoreReference(store)) }
}
