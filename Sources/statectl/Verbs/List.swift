// `statectl list`: names, or a table of the stores; fetched page by page, printed as they arrive.

internal import HubCore

extension VerbSpec {
  static let list = VerbSpec(
    "list", "[GLOB]", 0...1,
    options: Options([.long]),
    summary: "print the names of stores",
    details: "GLOB: * matches one part of a name, ** any number of parts.",
    examples: ["list", "list 'audio.*' -l"],
    action: .ask(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  let pattern = try words.pattern()
  return { client, output throws(Failure) in
    var table = Columns("NAME", "TYPE", "REVISION", "CHANGED", "VALUE")
    try client.list(pattern) { _, store throws(Failure) in
      if output.isJSON {
        try output.json { $0.members(of: store) }
      } else if words.has(.long) {
        table.add(
          store.name, store.type.description, String(store.revision), TimeText.human(store.time),
          store.value.map(ValueText.line) ?? "(\(store.length) bytes)")
      } else {
        try output.line(store.name)
      }
    }
    if words.has(.long) { try output.write(&table) }
  }
}

extension JSONWriter {
  /// A store of a list: without its value, if that is long.
  mutating func members(of store: StoreSummary) {
    member("name", store.name)
    member("type", store.type.description)
    if let value = store.value { member("value", value) }
    member("length", store.length)
    member("revision", store.revision)
    member("version", store.version)
    member("time", TimeText.rfc3339(store.time))
    member("declared", store.declared)
  }
}
