// How a configuration says further sockets, and what is wrong with those that are refused.

import HubCore
import HubServer
import Testing

@testable import HubEngine

@Suite("Further sockets in a configuration")
struct SocketConfigurationTests {
  @Test("all of a socket is read")
  func whole() throws {
    let options = try read(
      """
      { sockets: { web: { path: "/run/web.sock", mode: "0640", group: "0", prefix: "ct.web", rights: ["read", "write"],
        as: "user:0" }, bare: {} } }
      """)
    let (bare, web) = (options.sockets[0], options.sockets[1])
    #expect(bare == SocketOptions(name: "bare"))
    #expect(web.path == "/run/web.sock" && web.mode == 0o640 && web.group == 0)
    #expect(web.prefix?.text == "ct.web" && web.rights == [.read, .write])
    #expect(web.user?.uid == 0 && web.user?.groups.first == 0)
  }

  @Test(
    "a mistake is refused, and says what would be right",
    arguments: [
      ("a: { path: '/x' }, b: { path: '/x' }", "sockets.b: /x is also the path of sockets.a"),
      ("statehub: {}", "sockets.statehub: the hub itself uses this name"),
      ("handoff: {}", "sockets.handoff: the hub itself uses this name"),
      ("'a:b': {}", "a socket's name consists of letters, digits, _ and -"),
      ("'a.b': {}", "a socket's name consists"),
      ("a: { path: 'x' }", "sockets.a.path: \"x\" is a relative path"),
      ("a: { mode: '0999' }", "sockets.a.mode: \"0999\" is not a valid mode: give octal digits"),
      ("a: { mode: 660 }", "sockets.a.mode: expected a string"),
      ("a: { prefix: 'x.' }", "sockets.a.prefix: "),
      ("a: { prefix: 'statehub' }", "are reserved for the hub"),
      ("a: { rights: ['look'] }", "sockets.a.rights[0]: \"look\" is not a right; allowed: read, write"),
      ("a: { rights: 'read' }", "sockets.a.rights: expected an array"),
      ("a: { as: 'group:0' }", "sockets.a.as: clients can be mapped only to a user"),
      ("a: { as: 'user:65534' }", "65534 is the kernel's number"),
      ("a: { paht: '/x' }", "unknown key (did you mean path?)"),
      (
        (0...64).map { "s\($0): {}" }.joined(separator: ","),
        "there are 65 sockets; a hub can have at most 64"
      ),
    ])
  func mistakes(text: String, message: String) {
    let error = #expect(throws: ConfigurationError.self) { try read("{ sockets: { \(text) } }") }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test(
    "a socket that names a missing user or group is not served, and that is noted",
    arguments: ["as: 'user:", "group: '"])
  func missingAccount(key: String) throws {
    let options = try read("{ sockets: { a: { path: '/x', \(key)nobody-here' }, b: { path: '/y' } } }")
    #expect(options.sockets.map(\.name) == ["b"])
    #expect(options.notes.count == 1)
    #expect(options.notes.first?.contains("\"nobody-here\", so this has no effect") == true)
  }

  @Test("the path of the hub's own socket is refused, wherever it comes from")
  func own() throws {
    var options = try read("{ sockets: { a: { path: '/run/hub.sock' } } }")
    try options.checkSockets()
    options.socketPath = "/run/hub.sock"
    let error = #expect(throws: ServerError.self) { try options.checkSockets() }
    #expect(
      error?.description == "sockets.a.path: /run/hub.sock is the hub's own socket: choose another path")
  }
}
