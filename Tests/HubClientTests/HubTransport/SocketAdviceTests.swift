// What a client says of a hub that does not answer.

import Testing

@testable import HubTransport

@Suite("Advice about a silent hub")
struct SocketAdviceTests {
  @Test("under systemd a silent hub's unit is named, where systemd may own the socket")
  func silence() {
    let system = "/run/statehub/hub.sock"
    #expect(SocketPath.silence(at: system, hasSystemd: true) == "; `systemctl status statehub` may show why")
    #expect(SocketPath.silence(at: system, hasSystemd: false).isEmpty)
    #expect(SocketPath.silence(at: "/elsewhere/hub.sock", hasSystemd: true).isEmpty)
  }
}
