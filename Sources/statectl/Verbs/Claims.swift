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
    action: .ask(ClaimsCommand.init))
}

struct ClaimsCommand: HubCommand {
  private let json: Bool
  private let released: StoreName?

  init(_ words: CommandLineWords) throws(Failure) {
    json = words.has(.json)
    released = try words.text(.release).map { text throws(Failure) in
      try attempt { () throws(HubError) in try StoreName(text) }
    }
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    if let released {
      _ = try client.ask(.standing(released, .released))
      return
    }
    var table = Columns("NAME", "STATE", "STALE SINCE", "STORES", "REASON")
    try client.list(ClaimStatus.pattern) { client, store throws(Failure) in
      guard case .value(let state) = try client.ask(.get(.id(store.id))),
        let status = ClaimStatus(store.name, state.value)
      else { return }
      if json {
        try output.json { $0.members(of: status) }
      } else {
        table.add(
          status.name, status.state.rawValue, status.staleSince.map { TimeText.human($0) } ?? "-",
          status.stores.map(\.text).joined(separator: " "), ValueText.visible(status.reason))
      }
    }
    if !json { for line in table.lines { try output.line(line) } }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of status: ClaimStatus) {
    member("name", status.name)
    standing(of: status)
    stores(of: status)
    if !status.description.isEmpty { member("description", status.description) }
  }
}
