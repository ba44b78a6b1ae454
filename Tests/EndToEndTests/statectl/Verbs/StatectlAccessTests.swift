// `statectl access` against a hub with rules and a further socket, and the offline form beside it.

import HubCore
import TestSupport
import Testing

@Suite("statectl access", .blocking)
struct StatectlAccessTests {
  private let directory: TemporaryDirectory
  private let hub: HubProcess
  private let control: Control

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(
      """
      {
        defaultAccess: "closed",
        access: [{ match: "desk.**", read: "anyone", write: "owner", create: "anyone" }],
        sockets: { look: { path: "\(directory.file("look.sock"))", prefix: "desk", rights: ["read"] } },
      }
      """, to: "hub.json5")
    hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    // The hub's own socket takes connections before the further ones are there; it answers afterwards.
    _ = try hub.connect()
    control = Control(directory: directory, socket: hub.socket)
  }

  @Test("the hub's user is told the rule, whose the store is and what another user may do")
  func others() throws {
    try control.perform("set", "desk.lamp", "1")
    let own = try control.run("access", "desk.lamp")
    #expect(own == .init(status: 0, output: "you may do everything, regardless of the rules\n", errors: ""))
    let lines = try control.run("access", "desk.lamp", "--as", "50021").output.split(separator: "\n")
    #expect(lines.first == "access[0] applies to desk.lamp: its pattern is desk.**")
    #expect(lines.dropFirst().first?.hasPrefix("the store was created by user ") == true)
    #expect(lines.contains("  50021 may read: yes, because of anyone"))
    #expect(lines.contains("  50021 may write: no"))
    let absent = try control.run("access", "desk.new", "--as", "50021").output
    #expect(absent.contains("there is no store desk.new\n"))
    #expect(absent.contains("  50021 may write: only as its owner\n"))
    let root = try control.run("access", "desk.lamp", "--as", "root", "--json").output
    #expect(root.contains(#""uid":0,"trusted":true"#) && root.contains(#""write":{"may":"yes"}"#))
  }

  @Test("a further socket limits, asked through it, about it and offline, in the same words")
  func socket() throws {
    let limit = "at the socket look the rights are limited to read below desk\n"
    let create = " may create: no, because of the socket look\n"
    let there = Control(directory: directory, socket: directory.file("look.sock"))
    let through = try there.run("access", "desk.new").output
    #expect(through.hasPrefix(limit) && through.contains("you\(create)"))
    let about = try control.run("access", "desk.new", "--as=50021", "--socket-name=look").output
    #expect(about.contains(limit) && about.contains("50021\(create)"))
    let process = try ChildProcess(
      ChildProcess.built("statehub"),
      [
        "access", "--config", directory.file("hub.json5"), "--as", "50021", "--socket-name", "look",
        "desk.new",
      ], directory: directory)
    #expect(try process.status() == 0, "\(process.standardError)")
    #expect(about == process.standardOutput.replacing(limit, with: limit + "there is no store desk.new\n"))
    #expect(try there.run("access", "desk.new", "--as", "0").status == 7)
    let json = try there.run("access", "desk.new", "--json").output
    #expect(json.contains(#""socket":"look","socketRights":["read"],"prefix":"desk""#), "\(json)")
    #expect(json.contains(#""create":{"may":"notAtSocket","because":"anyone"}"#), "\(json)")
    #expect(!json.contains("rule"))
  }

  @Test("what is no name, no user or no socket is said")
  func mistakes() throws {
    #expect(try control.run("access", "desk.*").status == 6)
    let unknown = try control.run("access", "desk.a", "--as", "statehub-has-no-such-user")
    #expect(unknown.status == 2 && unknown.errors.contains("/etc/passwd has no user"))
    #expect(try control.run("access").status == 2)
    let process = try ChildProcess(
      ChildProcess.built("statehub"),
      ["access", "--config", directory.file("hub.json5"), "--socket-name", "none", "desk.new"],
      directory: directory)
    #expect(try process.status() == 1)
    #expect(process.standardError.contains("the configuration has no socket \"none\""))
  }

  @Test("groups are those of /etc/group")
  func groups() throws {
    // The fourth field of a line of /etc/passwd is a group, too: a user without further ones has just that.
    let fields = readFile("/etc/passwd").split(separator: "\n").map {
      $0.split(separator: ":", omittingEmptySubsequences: false)
    }
    let daemon = try #require(fields.first { $0.count > 3 && $0[0] == "daemon" })
    try directory.write(
      "{ defaultAccess: 'closed', access: [{ match: 'a', read: 'group:\(daemon[3])' }] }", to: "hub.json5")
    #expect(try control.run("reload").status == 0)
    let answer = try control.run("access", "a", "--as", "daemon").output
    #expect(answer.contains("daemon may read: yes, because of group:\(daemon[3])\n"), "\(answer)")
  }
}
