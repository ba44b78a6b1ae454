// `statectl reset`: back to the initial value.

internal import HubCore

extension VerbSpec {
  static let reset = VerbSpec(
    "reset", "STORE", 1...1,
    options: Options([.showRevision]),
    summary: "go back to the initial value, and print it",
    details: "A store that was created by set has no initial value: remove it instead.",
    examples: ["reset audio.volume"],
    action: .write(WriteCommand.reset))
}

extension WriteCommand {
  fileprivate static func reset(_ words: CommandLineWords) throws(Failure) -> WriteCommand {
    let store = try words.storeName()
    return WriteCommand(.reset(.name(store)), of: store, words, printsValue: true)
  }
}
