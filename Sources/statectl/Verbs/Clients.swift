// `statectl clients`: the hub's connections, fetched page by page.

internal import HubCore
internal import HubSystem

extension VerbSpec {
  static let clients = VerbSpec(
    "clients", "", 0...0,
    summary: "print the connections to the hub",
    details: """
      Prints a line for each connection: its process, what it costs the hub, and how well it keeps up. COST
      is the estimated processor time of its requests, and SHARE is that time as a fraction of the time since
      it connected. UNIT is the unit or the app of the process, as in access rules. COMMAND is the current
      name of the process, if you may see it; the process number may have been reused.
      """,
    examples: ["clients"],
    action: .ask { _ in command })
}

private func command(_ client: inout Client, _ output: inout Output) throws(Failure) {
  var after: Int32 = -1
  let users = UserNames()
  let now = SystemClock.real
  var table = Columns(
    "CONNECTION", "PID", "COMMAND", "USER", "UNIT", "SINCE", "WATCHES", "REQUESTS", "COST", "SHARE", "HELD",
    "UNSENT",
    "CATCH-UPS", "STATE", "NAME")
  while true {
    guard case .clients(let clients, let more) = try client.ask(.clients(after: after)) else {
      throw .unexpectedReply
    }
    for client in clients {
      if output.isJSON {
        try output.json { $0.members(of: client, now: now) }
      } else {
        table.add(
          String(client.session), client.peer.pid == 0 ? "-" : String(client.peer.pid),
          client.command ?? "-",
          users.text(of: client.peer.uid), client.unit, TimeText.human(client.since), String(client.watches),
          String(client.requests), DecimalText.of(client.cost / 1_000_000, digits: 3) + "s",
          DecimalText.of(client.perMille(now: now), digits: 1) + "%", String(client.held),
          String(client.unsent), String(client.catchUps), client.behind ? "behind" : "current",
          ValueText.visible(client.name))
      }
    }
    guard more, let last = clients.last else { break }
    after = last.session
  }
  try output.write(&table)
}

extension ClientSummary {
  /// The process's current name; nil: it has ended, or is hidden.
  fileprivate var command: String? {
    guard let bytes = try? File.contents(of: "/proc/\(peer.pid)/comm", limit: 64), !bytes.isEmpty else {
      return nil
    }
    return ValueText.visible(String(decoding: bytes.dropLast(), as: UTF8.self))
  }

  /// The unit or the app; for a process that the hub cannot see, the reason.
  var unit: String {
    peer.pid == 0 ? "(another pid namespace)" : origin.label.map { ValueText.visible($0) } ?? "-"
  }

  /// The cost in thousandths of the time since it connected.
  fileprivate func perMille(now: Int64) -> UInt64 {
    cost / (UInt64(max(0, now - since)) / 1000 + 1)
  }
}

extension JSONWriter {
  fileprivate mutating func members(of client: ClientSummary, now: Int64) {
    member("connection", client.session)
    if client.peer.pid != 0 { member("pid", client.peer.pid) }
    if let command = client.command { member("command", command) }
    member("uid", client.peer.uid)
    member("gid", client.peer.gid)
    if !client.origin.unit.isEmpty { member("unit", client.origin.unit) }
    if !client.origin.userUnit.isEmpty { member("userUnit", client.origin.userUnit) }
    if !client.origin.app.isEmpty { member("app", client.origin.app) }
    member("name", client.name)
    member("since", TimeText.rfc3339(client.since))
    member("watches", client.watches)
    member("requests", client.requests)
    member("costNanoseconds", client.cost)
    member("sharePerMille", client.perMille(now: now))
    member("held", client.held)
    member("unsent", client.unsent)
    member("catchUps", client.catchUps)
    member("behind", client.behind)
  }
}
