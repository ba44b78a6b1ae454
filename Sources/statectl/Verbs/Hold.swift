// `statectl hold`: a value that lives as long as a command.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let hold = VerbSpec(
    "hold", "STORE VALUE -- CMD...", 3 ... .max,
    options: Options([.type]),
    summary: "set a value that lives as long as a command",
    details: """
      Sets the value, runs CMD, and withdraws the value when CMD exits, or when statectl and CMD are killed:
      the store returns to its initial value, or is removed. A persistent value that would be lost is not
      replaced. After a restart of the hub the value is set again; CMD is not affected. If another program
      sets the store in the meantime, that value is kept. Signals are passed on to CMD; statectl exits with
      its status.
      """,
    examples: ["hold vpn.up true -- openvpn office.conf", "hold editor.open \"$USER\" -- vi notes"],
    action: .follow(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> FollowingCommand {
  let command = try words.heldCommand(after: 2)
  let patience = try words.answerPatience()
  let set = try StoreWrite.set(words, lifetime: Lifetime(ephemeral: true))
  return { place, _, _ throws(Failure) in
    var client = try Client(to: place, for: .hold, until: .after(patience))
    let (operation, result) = try set.write(&client)
    guard case .set(_, let value, _, _, _) = operation else { throw .unexpectedReply }
    let epoch = client.welcome?.epoch ?? Epoch(high: 0, low: 0)
    let link = ClaimLink(
      .value(set.store, value), Fence(revision: result.revision, epoch: epoch), result.id,
      version: result.version, by: Link(to: place, for: .hold, client.intoConnection()), patience: patience)
    let holder = Holder(
      mode: .value, name: set.store, command: command, grace: .zero, killAfter: .zero, socket: place.resolved)
    try holder.run(link, try Holder.signals())
  }
}
