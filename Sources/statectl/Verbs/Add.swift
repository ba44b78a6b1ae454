// `statectl add`: adds to a number, in the hub.

internal import HubCore

extension VerbSpec {
  static let add = VerbSpec(
    "add", "STORE [DELTA]", 1...2,
    options: Options([.clamp, .showRevision]),
    summary: "add to a number and print the sum",
    details: """
      DELTA defaults to 1 and may be negative. An integer store takes integers, a double store any number.
      """,
    examples: ["add visits", "add audio.volume -5 --clamp"],
    action: .write(WriteCommand.add))
}

extension WriteCommand {
  fileprivate static func add(_ words: CommandLineWords) throws(Failure) -> WriteCommand {
    let store = try words.storeName()
    let delta = words.operands.count > 1 ? words.operands[1] : "1"
    let operation = WriteOperation.add(
      .name(store), try ValueSyntax.delta(delta, store: store.text), clamp: words.has(.clamp))
    return WriteCommand(operation, of: store, words, printsValue: true)
  }
}
