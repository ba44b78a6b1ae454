// What the writes besides `set` share: one operation, complete on the command line, and one round trip.

internal import HubCore

struct WriteCommand: StoreWrite {
  let store: StoreName
  private let operation: WriteOperation
  private let shape: WriteOutput

  /// - Parameter printsValue: the new value is printed, which the caller could not know.
  init(
    _ operation: WriteOperation, of store: StoreName, _ words: CommandLineWords, printsValue: Bool = false
  ) {
    self.store = store
    self.operation = operation
    shape = WriteOutput(words, printsValue: printsValue)
  }

  var needsType: Bool { false }

  func operation(as type: ValueType?) -> WriteOperation { operation }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    try shape.show(store.text, try client.write(operation), to: &output)
  }
}
