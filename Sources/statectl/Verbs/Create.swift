// `statectl create`: a store with a schema, or another schema for a store. The schema itself is read by SchemaWords.

internal import HubCore

extension VerbSpec {
  static let create = VerbSpec(
    "create", "STORE", 1...1,
    options: Option.schema.union(Options([.ifAbsent])),
    summary: "create a store with a schema, or give one a new schema",
    details: """
      Nothing changes if the store has exactly this schema. A different schema is replaced if the store's
      value fits the new one; the replaced rules are listed on standard error. --if-absent leaves an existing
      store as it is. Without --type the store has the type of the initial value.
      """,
    examples: [
      "create audio.volume --type integer --minimum 0 --maximum 100 --initial 50",
      "create mode --type string --choices off,eco,full --initial off",
    ],
    action: .write(CreateCommand.init))
}

private struct CreateCommand: StoreWrite {
  let store: StoreName
  private let schema: Schema
  private let isNew: Bool
  private let shape: WriteOutput

  init(_ words: CommandLineWords) throws(Failure) {
    store = try words.storeName()
    schema = try SchemaWords.schema(of: store, words)
    isNew = words.has(.ifAbsent)
    shape = WriteOutput(words)
  }

  var needsType: Bool { false }

  func operation(as type: ValueType?) -> WriteOperation { .create(store, schema, ifAbsent: isNew) }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    let question = isNew ? nil : client.enqueue(.describe(.name(store)))
    let result = try client.write(operation(as: nil))
    if let question, case .described(let former)? = try? client.receive(question),
      former.state.id == result.id,
      former.schema != schema, case .described(let store)? = try? client.ask(.describe(.name(store)))
    {
      tell(former.schema, store.schema)
    }
    try shape.show(store.text, result, to: &output)
  }

  /// Reports which rules of another program are replaced.
  private func tell(_ former: Schema, _ schema: Schema) {
    var changes: [String] = []
    func compare(_ label: String, _ before: String?, _ now: String?) {
      if before != now { changes.append("\(label) was \(before ?? "not set"), and is \(now ?? "not set")") }
    }
    compare("type", former.type.description, schema.type.description)
    for field in SchemaField.all {
      compare(field.label, field.text(in: former, ValueText.line), field.text(in: schema, ValueText.line))
    }
    if !changes.isEmpty { complain("\(store.text): " + changes.joined(separator: "; ")) }
  }
}
