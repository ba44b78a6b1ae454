// `statectl create`: a store with a schema, or another schema for a store. The schema itself is read by SchemaWords.

internal import HubCore

extension VerbSpec {
  static let create = VerbSpec(
    "create", "STORE", 1...1,
    options: Option.schema.union(Options([.ifAbsent])),
    summary: "create a store with a schema, or give one a new schema",
    details: """
      Nothing changes if the store has exactly this schema. Another schema is taken if the value fits it.
      Without --type the type of the initial value counts.
      """,
    examples: [
      "create audio.volume --type integer --min 0 --max 100 --initial 50",
      "create mode --type string --choices off,eco,full --initial off",
    ],
    action: .write(WriteCommand.create))
}

extension WriteCommand {
  fileprivate static func create(_ words: CommandLineWords) throws(Failure) -> WriteCommand {
    let store = try words.storeName()
    let schema = try SchemaWords.schema(of: store, words)
    return WriteCommand(.create(store, schema, ifAbsent: words.has(.ifAbsent)), of: store, words)
  }
}
