// `statectl clients`: the hub's connections, fetched page by page.

internal import HubCore

extension VerbSpec {
  static let clients = VerbSpec(
    "clients", "", 0...0,
    summary: "print who is connected to the hub",
    details: "One line for each connection: who it is, and how well it follows.",
    examples: ["clients"],
    action: .ask(ClientsCommand.init))
}

struct ClientsCommand: HubCommand {
  private let json: Bool

  init(_ words: CommandLineWords) { json = words.has(.json) }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    var after: Int32 = -1
    let users = UserNames()
    var table = Columns(
      "CONNECTION", "PID", "USER", "SINCE", "WATCHES", "REQUESTS", "UNSENT", "STATE", "NAME")
    while true {
      guard case .clients(let clients, let more) = try client.ask(.clients(after: after)) else {
        throw .strangeAnswer
      }
      for client in clients {
        if json {
          try output.json { $0.members(of: client) }
        } else {
          table.add(
            String(client.session), String(client.peer.pid), users.text(of: client.peer.uid),
            TimeText.human(client.since), String(client.watches), String(client.requests),
            String(client.unsent), client.behind ? "behind" : "current", ValueText.visible(client.name))
        }
      }
      guard more, let last = clients.last else { break }
      after = last.session
    }
    if !json { for line in table.lines { try output.line(line) } }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of client: ClientSummary) {
    key("connection")
    integer(Int64(client.session))
    member("pid", client.peer.pid)
    member("uid", client.peer.uid)
    member("gid", client.peer.gid)
    member("name", client.name)
    member("since", TimeText.rfc3339(client.since))
    member("watches", client.watches)
    member("requests", client.requests)
    member("unsent", client.unsent)
    member("behind", client.behind)
  }
}
