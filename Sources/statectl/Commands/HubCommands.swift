// The verbs about the hub itself: `ping`, `clients`, `stats` and `reload`.

internal import HubCore
internal import HubTransport

struct PingCommand: HubCommand {
  private let json: Bool

  init(_ words: CommandLineWords) { json = words.has(.json) }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    let start = Deadline.now
    guard case .pong(let revision) = try client.ask(.ping), let welcome = client.welcome else {
      throw .strangeAnswer
    }
    let microseconds = (Deadline.now.nanoseconds - start.nanoseconds) / 1000
    if json {
      return try output.json {
        $0.member("release", welcome.release)
        $0.member("protocol", welcome.version)
        $0.member("pid", welcome.pid)
        $0.member("epoch", welcome.epoch.description)
        $0.member("revision", revision)
        $0.member("microseconds", microseconds)
      }
    }
    let release = ValueText.visible(welcome.release)
    try output.line(
      "statehub \(release), pid \(welcome.pid), revision \(revision): answered in \(microseconds) µs")
  }
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

struct StatsCommand: HubCommand {
  private let json: Bool

  init(_ words: CommandLineWords) { json = words.has(.json) }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    guard case .statistics(let statistics) = try client.ask(.stats) else { throw .strangeAnswer }
    if json {
      return try output.json { for statistic in statistics { $0.member(statistic.name, statistic.value) } }
    }
    for statistic in statistics {
      try output.line("\(ValueText.visible(statistic.name))\t\(statistic.value)")
    }
  }
}

struct ReloadCommand: HubCommand {
  private let json: Bool

  init(_ words: CommandLineWords) { json = words.has(.json) }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    let answer: Reply
    do throws(Failure) {
      answer = try client.ask(.reload)
    } catch {
      guard case .hub(let problem) = error, error.isHub(.invalidConfiguration) else { throw error }
      // One line for each thing that is wrong.
      for line in problem.message.split(separator: "\n") { complain(ValueText.visible(String(line))) }
      throw .status(error.status)
    }
    guard case .reloaded(let release, let notes) = answer else { throw .strangeAnswer }
    for note in notes { complain(ValueText.visible(note)) }
    if json { try output.json { $0.member("release", release) } }
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
