// The writes besides `set`: `add`, `toggle`, `reset`, `remove` and `create`, each one operation and one round trip.

internal import HubCore

struct WriteCommand: HubCommand {
  let store: StoreName
  let operation: WriteOperation
  private let shape: WriteOutput

  init(_ words: CommandLineWords) throws(Failure) {
    store = try words.storeName()
    shape = WriteOutput(words)
    operation =
      switch words.verb {
      case .add: try WriteCommand.add(words)
      case .toggle: .toggle(.name(store))
      case .reset: .reset(.name(store))
      case .create: .create(store, try SchemaWords.schema(of: store, words), ifAbsent: words.has(.ifAbsent))
      default: .remove(.name(store), condition: WriteCondition(revision: try words.integer(.ifRevision)))
      }
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    try shape.show(store.text, try client.write(operation), to: &output)
  }

  private static func add(_ words: CommandLineWords) throws(Failure) -> WriteOperation {
    let store = try words.storeName()
    let delta = words.operands.count > 1 ? words.operands[1] : "1"
    return .add(
      .name(store), try ValueSyntax.delta(delta, store: store.text), clamp: words.has(.clamp))
  }
}
