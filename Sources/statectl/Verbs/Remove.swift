// `statectl remove`: removes a store.

internal import HubCore

extension VerbSpec {
  static let remove = VerbSpec(
    "remove", "STORE", 1...1,
    options: Options([.ifRevision]),
    summary: "remove a store",
    details: "Watches on the store stay open and see it again when it comes back.",
    examples: ["remove greeting"],
    action: .write(WriteCommand.remove))
}

extension WriteCommand {
  fileprivate static func remove(_ words: CommandLineWords) throws(Failure) -> WriteCommand {
    let store = try words.storeName()
    let condition = WriteCondition(revision: try words.integer(.ifRevision))
    return WriteCommand(.remove(.name(store), condition: condition), of: store, words)
  }
}
