// The default paths of a hub's files.

import Testing

@testable import HubServer
@testable import HubEngine

@Suite("Default paths")
struct DefaultPathsTests {
  private func paths(isRoot: Bool = false, _ variables: [String: String]) -> DefaultPaths {
    DefaultPaths(isRoot: isRoot) { variables[$0] }
  }

  @Test("the socket is where STATEHUB_SOCKET says, else the system's for root, else in the runtime directory")
  func socket() {
    #expect(paths(["STATEHUB_SOCKET": "/s", "XDG_RUNTIME_DIR": "/r"]).socket == "/s")
    #expect(paths(isRoot: true, ["XDG_RUNTIME_DIR": "/r"]).socket == "/run/statehub/hub.sock")
    #expect(paths(["XDG_RUNTIME_DIR": "/r", "STATEHUB_SOCKET": ""]).socket == "/r/statehub/hub.sock")
    #expect(paths([:]).socket == nil)
    let user = { (variables: [String: String]) in
      DefaultPaths(isRoot: false, runtimeDirectory: "/run/user/7") { variables[$0] }.socket
    }
    #expect(user([:]) == "/run/user/7/statehub/hub.sock")
    #expect(user(["XDG_RUNTIME_DIR": "/r"]) == "/r/statehub/hub.sock")
  }

  @Test(
    "the configuration is where the service manager says, in /etc for root, else in the user's configuration directory"
  )
  func configuration() {
    #expect(paths(["CONFIGURATION_DIRECTORY": "/d", "HOME": "/h"]).configuration == "/d/statehub.json5")
    #expect(paths(isRoot: true, ["HOME": "/root"]).configuration == "/etc/statehub/statehub.json5")
    #expect(paths(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]).configuration == "/c/statehub/statehub.json5")
    #expect(paths(["HOME": "/h"]).configuration == "/h/.config/statehub/statehub.json5")
    #expect(paths([:]).configuration == nil)
  }
}
