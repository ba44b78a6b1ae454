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
    action: .write(one, alone: command))
}

private func one(_ words: CommandLineWords) throws(Failure) -> StoreWrite {
  let store = try words.storeName()
  let delta = words.operands.count > 1 ? words.operands[1] : "1"
  return StoreWrite(
    .add(.name(store), try ValueSyntax.delta(delta, store: store.text), clamp: words.has(.clamp)), of: store,
    printsValue: true)
}

/// A store that does not exist must be created first: unlike a value, a sum does not determine the store's type.
private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  let write = try one(words)
  return { client, output throws(Failure) in
    do throws(Failure) {
      try write.run(words, &client, &output)
    } catch {
      guard error.isHub(.noSuchStore), case .add(_, let delta, _) = try write.operation(nil) else {
        throw error
      }
      let initial = delta.type == .double ? "0.0" : "0"
      throw .hub(
        HubError(
          .noSuchStore, store: write.store.text,
          "there is no such store: create it first (create \(write.store.text) --initial \(initial))"))
    }
  }
}
