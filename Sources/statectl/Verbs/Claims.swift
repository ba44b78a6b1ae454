// `statectl claims`: which stores have providers, and the providers' states.

internal import HubCore

extension VerbSpec {
  static let claims = VerbSpec(
    "claims", "", 0...0,
    options: Options([.release]),
    summary: "print which stores have providers, and whether their values are live",
    details: """
      Prints a line for each claim: its name, its state, when its values may have become wrong, its stores,
      and why it is not live. The stores statehub.providers.NAME hold the same information, and can be
      watched. --release ends a claim whose provider is permanently gone: its stores become ordinary stores
      again. A claim that the configuration declares becomes vacant instead. Only the claim's user, root and
      the hub's own user may release it.
      """,
    examples: ["claims", "claims --release display"],
    action: .ask(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  if let text = words.text(.release) {
    let released = try attempt { () throws(HubError) in try StoreName(text) }
    return { client, _ throws(Failure) in _ = try client.ask(.standing(released, .released)) }
  }
  return { client, output throws(Failure) in
    var table = Columns("NAME", "STATE", "STALE SINCE", "STORES", "REASON")
    try client.list(ClaimStatus.pattern) { client, store throws(Failure) in
      guard case .value(let state) = try client.ask(.get(.id(store.id))),
        let status = ClaimStatus(store.name, state.value)
      else { return }
      if output.isJSON {
        try output.json {
          $0.member("name", status.name)
          $0.standing(of: status)
          $0.stores(of: status)
          if !status.description.isEmpty { $0.member("description", status.description) }
        }
      } else {
        table.add(
          status.name, status.state.rawValue, status.staleSince.map { TimeText.human($0) } ?? "-",
          status.stores.map(\.text).joined(separator: " "), ValueText.visible(status.reason))
      }
    }
    try output.write(&table)
  }
}
