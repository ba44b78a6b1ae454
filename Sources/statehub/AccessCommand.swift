// `statehub access NAME`: shows a user's rights to a name under the configuration, and which rule decides.

import HubCore
import HubEngine
import HubServer
import HubSystem

enum AccessCommand {
  static let usage = "usage: statehub access [--config FILE] [--as USER] [--socket-name SOCKET] NAME"
  /// Whom the unit runs the system's hub as.
  private static let account = "statehub"

  private static let help = """
    Shows which access rule of the configuration applies to a name, and which rights it gives a user. It does
    not ask the hub, which need not be running, so it does not know who owns a store: `statectl access` does.

      --config FILE         the configuration (default: that of the hub that you would start)
      --as USER             the user's name or number, with the user's groups (default: you); also a program:
                            unit:NAME, user-unit:NAME or app:ID, or both: alice,app:ID
      --socket-name SOCKET  one of the configuration's additional sockets (default: the hub's own socket)

    Exit status: 0 done, 1 the configuration is wrong or there is no such user or socket, 2 wrong usage.

    """

  /// - Parameters:
  ///   - words: after `access`.
  ///   - settings: reads the configuration of a hub with those options.
  /// - Returns: the exit status.
  static func run(
    _ words: [String], _ settings: (CommandLineOptions) throws(ServerError) -> ServerOptions
  ) -> Int32 {
    if words.contains("--help") || words.contains("-h") {
      return Output.write(usage + "\n\n" + help)
    }
    var rest = words
    let user = take("--as", from: &rest)
    let socket = take("--socket-name", from: &rest)
    let file = take("--config", from: &rest)
    guard let text = rest.first, rest.count == 1, !text.hasPrefix("-"),
      let options = try? CommandLineOptions(parsing: file.map { ["--config", $0] } ?? [])
    else {
      HubServer.logFailure("\(usage); see statehub access --help")
      return 2
    }
    do {
      let name = try StoreName(text)
      let rules = try settings(options).allAccess
      if let socket, !rules.sockets.contains(where: { $0.name == socket }) {
        throw Unknown(description: "the configuration has no socket \(JSONWriter.quoted(socket))")
      }
      let asked = try user.map(AskedIdentity.init)
      let (peer, groups) = try peer(asked?.user)
      let hub = try (Accounts.user(named: account), Accounts.group(named: account))
      let table = AccessTable(
        rules, user: hub.0 ?? CurrentProcess.effectiveUser, group: hub.1 ?? CurrentProcess.effectiveGroup)
      let identity = table.identity(of: peer, groups: groups, at: socket, origin: asked?.origin)
      let explanation = table.explanation(of: name, for: identity)
      let who = asked?.title(caller: peer.uid) ?? "user \(peer.uid)"
      return Output.write(explanation.lines(about: name, who).map { "\($0)\n" }.joined())
    } catch {
      HubServer.logFailure("\(error)")
      return 1
    }
  }

  /// Takes `option VALUE` or `option=VALUE` out of the words.
  private static func take(_ option: String, from words: inout [String]) -> String? {
    if let index = words.firstIndex(of: option), index + 1 < words.count {
      defer { words.removeSubrange(index...index + 1) }
      return words[index + 1]
    }
    guard let index = words.firstIndex(where: { $0.hasPrefix(option + "=") }) else { return nil }
    return String(words.remove(at: index).dropFirst(option.count + 1))
  }

  private struct Unknown: Error, CustomStringConvertible {
    let description: String
  }

  private static func peer(_ user: String?) throws -> (Peer, groups: [UInt32]) {
    let number = try user.map { try UInt32($0) ?? Accounts.user(named: $0) } ?? CurrentProcess.realUser
    guard let number else {
      throw Unknown(description: "this machine has no user \(JSONWriter.quoted(user ?? ""))")
    }
    return (Peer(pid: 0, uid: number, gid: PeerIdentity.nobody), try Accounts.groups(of: number))
  }
}
