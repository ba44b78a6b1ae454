// `statectl toggle`: turns a boolean, in the hub.

internal import HubCore

extension VerbSpec {
  static let toggle = VerbSpec(
    "toggle", "STORE", 1...1,
    options: Options([.showRevision]),
    summary: "turn true to false or back, and print it",
    details: "The store is a boolean.",
    examples: ["toggle audio.muted"],
    action: .write(WriteCommand.toggle))
}

extension WriteCommand {
  fileprivate static func toggle(_ words: CommandLineWords) throws(Failure) -> WriteCommand {
    let store = try words.storeName()
    return WriteCommand(.toggle(.name(store)), of: store, words, printsValue: true)
  }
}
