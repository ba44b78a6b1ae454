// The default paths of a hub's files.

import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Default paths")
struct DefaultPathsTests {
  private func paths(isRoot: Bool = false, _ variables: [String: String]) -> DefaultPaths {
    DefaultPaths(isRoot: isRoot) { variables[$0] }
  }

  @Test("the socket is where STATEHUB_SOCKET says, else the system's for root, else in the runtime directory")
  func socket() throws {
    #expect(try paths(["STATEHUB_SOCKET": "/s", "XDG_RUNTIME_DIR": "/r"]).socket() == "/s")
    #expect(try paths(isRoot: true, ["XDG_RUNTIME_DIR": "/r"]).socket() == "/run/statehub/hub.sock")
    #expect(try paths(["XDG_RUNTIME_DIR": "/r", "STATEHUB_SOCKET": ""]).socket() == "/r/statehub/hub.sock")
    #expect(try paths([:]).socket() == nil)
    let user = { (variables: [String: String]) in
      DefaultPaths(isRoot: false, runtimeDirectory: "/run/user/7") { variables[$0] }
    }
    #expect(try user([:]).socket() == "/run/user/7/statehub/hub.sock")
    #expect(try user(["XDG_RUNTIME_DIR": "/r"]).socket() == "/r/statehub/hub.sock")
  }

  @Test(
    "the configuration is where the service manager says, in /etc for root, else in the user's configuration directory"
  )
  func configurations() throws {
    #expect(
      try paths(["CONFIGURATION_DIRECTORY": "/d", "HOME": "/h"]).configurations() == ["/d/statehub.json5"])
    #expect(try paths(isRoot: true, ["HOME": "/root"]).configurations() == ["/etc/statehub/statehub.json5"])
    #expect(
      try paths(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]).configurations() == ["/c/statehub/statehub.json5"])
    #expect(try paths(["HOME": "/h"]).configurations() == ["/h/.config/statehub/statehub.json5"])
    #expect(try paths([:]).configurations() == [])
  }

  @Test(
    "of several directories of a service manager each may hold the configuration, and the first holds the state"
  )
  func lists() throws {
    #expect(
      try paths(["CONFIGURATION_DIRECTORY": "/a:/b"]).configurations() == [
        "/a/statehub.json5", "/b/statehub.json5",
      ])
    #expect(try paths(["STATE_DIRECTORY": "/a:/b"]).stateDirectory() == "/a")
    #expect(try paths(["XDG_STATE_HOME": "/x", "HOME": "/h"]).stateDirectory() == "/x/statehub")
    #expect(try paths(["HOME": "/h"]).stateDirectory() == "/h/.local/state/statehub")
  }

  @Test(
    "a directory that is not an absolute path is refused by the variable's name",
    arguments: [
      ("CONFIGURATION_DIRECTORY", "a:b"), ("CONFIGURATION_DIRECTORY", "/a:b"),
      ("CONFIGURATION_DIRECTORY", "/a:"),
      ("STATE_DIRECTORY", "a"), ("STATE_DIRECTORY", ":"), ("XDG_CONFIG_HOME", "c"), ("XDG_STATE_HOME", "./s"),
      ("XDG_RUNTIME_DIR", "run"), ("HOME", "home"),
    ])
  func relative(name: String, value: String) throws {
    let paths = paths([name: value])
    let error = #expect(throws: ServerError.self) {
      _ = (try paths.socket(), try paths.configurations(), try paths.stateDirectory())
    }
    let text = "\(try #require(error))"
    #expect(text.hasPrefix("\(name)=\"\(value)\" in the environment: expected "))
  }
}
