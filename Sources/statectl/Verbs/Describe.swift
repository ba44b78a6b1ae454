// `statectl describe`: everything about stores, in one round trip.

internal import HubCore

extension VerbSpec {
  static let describe = VerbSpec(
    "describe", "STORE...", 1 ... .max,
    options: Options([.ifStale]),
    summary: "print everything about stores",
    details: """
      Prints the schema, the value and its revision, the number of watchers, where the store was declared, the
      `apply` source that made it, and its provider with the provider's state.
      """,
    examples: ["describe audio.volume"],
    action: .ask(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  let staleness = try Staleness(words)
  let names = try words.storeNames()
  return { client, output throws(Failure) in
    try staleness.read(&client)
    let requests = names.map { client.enqueue(.describe(.name($0))) }
    let sources = try AppliedSource.all(&client)
    var missing = false
    var printed = 0
    for request in requests {
      do throws(Failure) {
        guard case .described(let description) = try client.receive(request) else { throw .unexpectedReply }
        guard try staleness.lets(description.name, print: &output) else { continue }
        if printed > 0, !output.isJSON { try output.write("\n") }
        let source = sources.first { $0.files[description.name] != nil }
        try show(description, source, staleness.claim(of: description.name), to: &output)
        printed += 1
      } catch {
        guard error.isHub(.noSuchStore) else { throw error }
        missing = true
        try output.flush()
        error.complain()
      }
    }
    if staleness.hasFailed { throw .status(ExitStatus.unavailable) }
    if missing { throw .status(ExitStatus.noSuchStore) }
  }
}

private func show(
  _ store: StoreDescription, _ source: AppliedSource?, _ claim: ClaimStatus?, to output: inout Output
) throws(Failure) {
  if output.isJSON {
    return try output.json { writer in
      writer.members(of: store)
      if let source { writer.member("source", source.label) }
      guard let claim else { return }
      writer.object("provider") {
        $0.member("name", claim.name)
        $0.standing(of: claim)
      }
    }
  }
  var rows = store.rows(UserNames())
  if let source { rows.append(("source", "\(source.label), \(source.files[store.name] ?? "")")) }
  if let claim { rows.append(("provider", claim.text)) }
  for (label, text) in rows {
    try output.line(label + ":" + String(repeating: " ", count: 13 - label.utf8.count) + text)
  }
}

extension ClaimStatus {
  /// `display, vacant since …: its provider is not connected`
  fileprivate var text: String {
    let since = staleSince.map { " since \(TimeText.human($0))" } ?? ""
    return "\(name), \(state.rawValue)\(since)" + (reason.isEmpty ? "" : ": " + ValueText.visible(reason))
  }
}

extension StoreDescription {
  fileprivate func rows(_ users: UserNames) -> [(String, String)] {
    var rows: [(String, String)] = [("name", name)]
    func add(_ label: String, _ text: String?) {
      if let text { rows.append((label, text)) }
    }
    add("description", schema.description.isEmpty ? nil : ValueText.visible(schema.description))
    add("type", schema.type.description)
    add("value", ValueText.line(state.value))
    add("revision", "\(state.revision), change \(state.version) of this store")
    add("changed", "\(TimeText.human(state.time)) by \(users.text(of: state.uid))")
    // The description comes first, and the durability is shown even if it is the hub's default.
    for field in SchemaField.all where field.key != "description" && field.key != "durability" {
      add(field.label, field.text(in: schema, ValueText.line))
    }
    add("durability", durability.description)
    add("ttl", ttl.map { "ends in \($0 / 1000).\(String($0 % 1000 / 100)) s" })
    add("ephemeral", owner.map { "ends with connection \($0)" })
    add("declared", declared ? "in the hub's configuration" : "at run time")
    add("watchers", String(watchers))
    return rows
  }
}

extension JSONWriter {
  fileprivate mutating func members(of store: StoreDescription) {
    members(of: store.state, named: store.name)
    object("schema") {
      $0.member("type", store.schema.type.description)
      $0.members(of: store.schema, json: .asValue)
    }
    member("durability", store.durability.description)
    member("declared", store.declared)
    member("watchers", store.watchers)
    if let ttl = store.ttl { member("ttl", ttl) }
    if let owner = store.owner { member("owner", owner) }
  }
}
