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
    action: .write(one, alone: command))
}

private func one(_ words: CommandLineWords) throws(Failure) -> StoreWrite {
  let store = try words.storeName()
  return StoreWrite(
    .create(store, try SchemaWords.schema(of: store, words), ifAbsent: words.has(.ifAbsent)), of: store)
}

/// Reports which rules of another program are replaced.
private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  let write = try one(words)
  guard case .create(_, let schema, _) = try write.operation(nil) else { throw .unexpectedReply }
  let reference = StoreReference.name(write.store)
  return { client, output throws(Failure) in
    let question = words.has(.ifAbsent) ? nil : client.enqueue(.describe(reference))
    let result = try write.write(&client).result
    if let question, case .described(let former)? = try? client.receive(question),
      former.state.id == result.id, former.schema != schema,
      case .described(let store)? = try? client.ask(.describe(reference))
    {
      let changes = changes(from: former.schema, to: store.schema)
      if !changes.isEmpty { complain("\(store.name): " + changes.joined(separator: "; ")) }
    }
    try write.show(result, words, to: &output)
  }
}

private func changes(from former: Schema, to schema: Schema) -> [String] {
  var changes: [String] = []
  func compare(_ label: String, _ before: String?, _ now: String?) {
    if before != now { changes.append("\(label) was \(before ?? "not set"), and is \(now ?? "not set")") }
  }
  compare("type", former.type.description, schema.type.description)
  for field in SchemaField.all {
    compare(field.label, field.text(in: former, ValueText.line), field.text(in: schema, ValueText.line))
  }
  return changes
}
