// `statectl reset`: back to the initial value.

internal import HubCore

extension VerbSpec {
  static let reset = VerbSpec(
    "reset", "STORE", 1...1,
    options: Options([.showRevision]),
    summary: "restore the initial value, and print it",
    details: "A store that was created by set has no initial value: remove it instead.",
    examples: ["reset audio.volume"],
    action: .write { words throws(Failure) in try StoreWrite(words) { .reset($0) } })
}
