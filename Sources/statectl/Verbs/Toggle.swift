// `statectl toggle`: inverts a boolean, in the hub.

internal import HubCore

extension VerbSpec {
  static let toggle = VerbSpec(
    "toggle", "STORE", 1...1,
    options: Options([.showRevision]),
    summary: "invert a boolean, and print it",
    details: "The store must be a boolean.",
    examples: ["toggle audio.muted"],
    action: .write { words throws(Failure) in try StoreWrite(words) { .toggle($0) } })
}
