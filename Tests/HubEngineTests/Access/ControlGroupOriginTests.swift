// Which unit and app a control group's path stands for, and which it must never stand for.

import HubCore
import TestSupport
import Testing

@testable import HubEngine

@Suite struct ControlGroupOriginTests {
  private static let alice: UInt32 = 1000
  private static let manager = "/user.slice/user-1000.slice/user@1000.service"

  @Test(
    "the unit nearest to the root counts, then the unit of the user's own manager, then what its name says of an app",
    arguments: [
      ("/system.slice/cups.service", PeerOrigin(unit: "cups.service")),
      ("/system.slice/system-getty.slice/getty@tty1.service", PeerOrigin(unit: "getty@tty1.service")),
      (#"/system.slice/a\x2db.service/payload/x"#, PeerOrigin(unit: #"a\x2db.service"#)),
      ("/system.slice/_cpu.service", PeerOrigin(unit: "cpu.service")),
      ("/init.scope", PeerOrigin(unit: "init.scope")),
      ("/user.slice/user-1000.slice/session-3.scope", PeerOrigin(unit: "session-3.scope")),
      (
        "\(manager)/app.slice/backup.service",
        PeerOrigin(unit: "user@1000.service", userUnit: "backup.service")
      ),
      (
        "\(manager)/app.slice/app-flatpak-org.gnome.Maps-4711.scope",
        PeerOrigin(
          unit: "user@1000.service", userUnit: "app-flatpak-org.gnome.Maps-4711.scope", app: "org.gnome.Maps")
      ),
      (
        #"\#(manager)/app.slice/app-flatpak-org.a.my\x2dapp-1.scope/inner"#,
        PeerOrigin(
          unit: "user@1000.service", userUnit: #"app-flatpak-org.a.my\x2dapp-1.scope"#, app: "org.a.my-app")
      ),
      (
        "\(manager)/app.slice/snap.fire-fox.fire-fox-7f2c.scope",
        PeerOrigin(
          unit: "user@1000.service", userUnit: "snap.fire-fox.fire-fox-7f2c.scope", app: "fire-fox")
      ),
      ("/system.slice/snap.lxd.daemon.service", PeerOrigin(unit: "snap.lxd.daemon.service", app: "lxd")),
      // What a user's processes may call their groups.
      (
        "\(manager)/system.slice/cups.service",
        PeerOrigin(unit: "user@1000.service", userUnit: "cups.service")
      ),
      ("\(manager)/mine/cups.service", PeerOrigin(unit: "user@1000.service")),
      (
        "/user.slice/user-1001.slice/user@1001.service/app.slice/backup.service",
        PeerOrigin(unit: "user@1001.service")
      ),
      (
        "/user.slice/user-0.slice/user@0.service/app.slice/app-flatpak-org.a.b-1.scope",
        PeerOrigin(unit: "user@0.service")
      ),
      (
        "/machine.slice/machine-web.scope/payload/system.slice/cups.service",
        PeerOrigin(unit: "machine-web.scope")
      ),
      ("/system.slice/a.service/app-flatpak-org.a.b-1.scope", PeerOrigin(unit: "a.service")),
      // No unit.
      ("/", PeerOrigin()), ("/docker/4f1/system.slice/cups.service", PeerOrigin()),
      ("/../../system.slice/cups.service", PeerOrigin()), ("/system.slice/.service", PeerOrigin()),
      ("/system.slice/a b.service", PeerOrigin()), ("/system.slice/cups.service (deleted)", PeerOrigin()),
      ("/system.slice/dev-hugepages.mount", PeerOrigin()),
      ("/system.slice/\(String(repeating: "a", count: 248)).service", PeerOrigin()),
      // No app.
      (
        #"\#(manager)/app-flatpak-a\x2-1.scope"#,
        PeerOrigin(unit: "user@1000.service", userUnit: #"app-flatpak-a\x2-1.scope"#)
      ),
      (
        #"\#(manager)/app-flatpak-a\x2fb-1.scope"#,
        PeerOrigin(unit: "user@1000.service", userUnit: #"app-flatpak-a\x2fb-1.scope"#)
      ),
      (
        "\(manager)/app-flatpak-1.scope",
        PeerOrigin(unit: "user@1000.service", userUnit: "app-flatpak-1.scope")
      ),
      ("\(manager)/snap.a.scope", PeerOrigin(unit: "user@1000.service", userUnit: "snap.a.scope")),
    ])
  func paths(path: String, origin: PeerOrigin) {
    #expect(PeerOrigin(controlGroups: "0::\(path)\n", uid: Self.alice) == origin)
    // Where systemd uses version 1, its own hierarchy counts.
    let first = "9:name=systemd:\(path)\n8:pids:/system.slice/other.service\n0::/\n"
    #expect(PeerOrigin(controlGroups: first, uid: Self.alice) == origin)
    let both = "9:name=systemd:/other.service\n0::\(path)\n"
    if path != "/" { #expect(PeerOrigin(controlGroups: both, uid: Self.alice) == origin) }
  }

  @Test("other hierarchies and broken lines name nothing")
  func lines() {
    for text in ["", "\n", "0:", "0::", "4:memory:/system.slice/a.service\n", "x\n1:name=other:/a.service\n"]
    {
      #expect(PeerOrigin(controlGroups: text, uid: 0) == PeerOrigin(), "\(text)")
    }
  }

  @Test("the unknown user has no user units")
  func nobody() {
    let path = "0::/user.slice/user-65534.slice/user@65534.service/a.service\n"
    #expect(PeerOrigin(controlGroups: path, uid: 65_534) == PeerOrigin(unit: "user@65534.service"))
  }

  @Test("whatever a user calls groups below the own manager, the system unit stays the manager")
  func random() {
    var random = SeededGenerator(seed: 37)
    let parts = [
      "..", ".", "system.slice", "app.slice", "cups.service", "user@0.service", "user@1000.service",
      "snap.a.b.service",
      "app-flatpak-org.a.b-1.scope", "_", #"\x2f"#, "init.scope", "é", "0::", "name=systemd:", ":", " ",
    ]
    var (units, apps) = (0, 0)
    for _ in 0..<5000 {
      let path = (0..<Int.random(in: 0...5, using: &random)).map { _ in parts.randomElement(using: &random)! }
      let below = path.joined(separator: "/")
      let own = PeerOrigin(controlGroups: "0::\(Self.manager)/\(below)\n", uid: Self.alice)
      #expect(own.unit == "user@1000.service", "\(below)")
      #expect(own.app.isEmpty || !own.userUnit.isEmpty, "\(below)")
      let other = PeerOrigin(controlGroups: "0::\(Self.manager)/\(below)\n", uid: 1001)
      #expect(other == PeerOrigin(unit: "user@1000.service"), "\(below)")
      let service = PeerOrigin(controlGroups: "0::/system.slice/a.service/\(below)\n", uid: Self.alice)
      #expect(service == PeerOrigin(unit: "a.service"), "\(below)")
      units += own.userUnit.isEmpty ? 0 : 1
      apps += own.app.isEmpty ? 0 : 1
    }
    #expect(units > 500 && apps > 100)
  }
}
