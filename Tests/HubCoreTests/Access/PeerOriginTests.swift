// How units and apps are spelled in rules and options.

import HubCore
import Testing

@Suite struct PeerOriginTests {
  @Test("the most specific part of an origin is its label, spelled as in a rule")
  func label() {
    #expect(PeerOrigin().label == nil)
    #expect(PeerOrigin(unit: "a.service").label == "unit:a.service")
    #expect(PeerOrigin(unit: "user@1.service", userUnit: "b.scope").label == "user-unit:b.scope")
    #expect(PeerOrigin(unit: "user@1.service", userUnit: "b.scope", app: "c").label == "app:c")
  }

  @Test(
    "--as takes a user, programs, or both",
    arguments: [
      ("alice", "alice", nil), ("1000", "1000", nil),
      ("app:org.gnome.Maps", nil, PeerOrigin(app: "org.gnome.Maps")),
      ("alice,unit:a@b.service", "alice", PeerOrigin(unit: "a@b.service")),
      ("user-unit:a.scope,alice,app:b", "alice", PeerOrigin(userUnit: "a.scope", app: "b")),
    ] as [(String, String?, PeerOrigin?)])
  func asked(text: String, user: String?, origin: PeerOrigin?) throws {
    let asked = try AskedIdentity(text)
    #expect(asked.user == user && asked.origin == origin)
    #expect(asked.title(caller: 7) == (user == nil ? "7,\(text)" : text))
  }

  @Test(
    "--as refuses what names no user and no program",
    arguments: [
      ("", "is not a user and a program"), ("alice,bob", "is not a user and a program"),
      ("alice,", "is not a user and a program"), ("unit:cups", "such as unit:cups.service"),
      ("app:a/b", "is not an app"), ("unit:a b.service", "is not a unit name"),
      ("unit:\(String(repeating: "a", count: 248)).service", "is not a unit name"),
      ("unit:a.timer", "is not a .service or .scope"), ("unit:.service", "is not a .service or .scope"),
    ])
  func mistakes(text: String, message: String) {
    let error = #expect(throws: HubError.self) { try AskedIdentity(text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }
}

extension WireGenerator {
  mutating func origin() -> PeerOrigin {
    PeerOrigin(unit: text(upTo: 255), userUnit: text(upTo: 60), app: text(upTo: 60))
  }
}
