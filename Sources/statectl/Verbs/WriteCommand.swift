// What the writes besides `set` share: one operation, complete on the command line, and one round trip.

internal import HubCore

struct WriteCommand: StoreWrite {
  let store: StoreName
  private let operation: WriteOperation
  private let shape: WriteOutput

  /// - Parameter printsValue: the new value, unknown to the caller, is printed.
  init(
    _ operation: WriteOperation, of store: StoreName, _ words: CommandLineWords, printsValue: Bool = false
  ) {
    self.store = store
    self.operation = operation
    shape = WriteOutput(words, printsValue: printsValue)
  }

  /// A write of the store that the command line names, which prints the new value.
  init(_ words: CommandLineWords, _ operation: (StoreReference) -> WriteOperation) throws(Failure) {
    let store = try words.storeName()
    self.init(operation(.name(store)), of: store, words, printsValue: true)
  }

  var needsType: Bool { false }

  func operation(as type: ValueType?) -> WriteOperation { operation }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    do throws(Failure) {
      try shape.show(store.text, try client.write(operation), to: &output)
    } catch {
      throw error.isHub(.noSuchStore) ? remedy ?? error : error
    }
  }

  /// What to do about a store that does not exist: unlike a value, a sum does not determine the store's type.
  private var remedy: Failure? {
    guard case .add(_, let delta, _) = operation else { return nil }
    let initial = delta.type == .double ? "0.0" : "0"
    return .hub(
      HubError(
        .noSuchStore, store: store.text,
        "there is no such store: create it first (create \(store.text) --initial \(initial))"))
  }
}
