// What `access` says, to whom, and that it agrees with what requests are answered.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Explaining access") struct AccessExplanationTests {
  private static let alice: UInt32 = 1000

  private static func fixture() -> EngineFixture {
    var rules = accessRules([
      ("shown.**", [AccessGrant(.anyone, .read)]),
      ("own.**", [AccessGrant(.owner, [.read, .write, .remove]), AccessGrant(.anyone, .create)]),
      ("desk.**", [AccessGrant(.anyone, [.read, .create]), AccessGrant(.owner, .write)]),
    ])
    rules.rules.append(
      AccessRule(try! NamePattern("vault.pin"), [AccessGrant(.hub, .read)], origin: "stores.\"vault.pin\""))
    rules.sockets = [SocketLimit(name: "look", prefix: try! StoreName("desk"), rights: [.read, .create])]
    let all = rules
    var fixture = EngineFixture { options in
      options.access = all
      options.uid = 7
    }
    let root = fixture.connect(1, uid: 0)
    for name in ["shown.a", "own.root", "desk.root", "vault.pin"] {
      #expect(fixture.write(root, .set(.name(try! StoreName(name)), .integer(1))).errorCode == nil)
    }
    return fixture
  }

  private static func explain(
    _ fixture: inout EngineFixture, _ session: SessionID, _ name: String, as other: AccessQuestion? = nil
  ) -> AccessExplanation? {
    guard case .explained(let explanation) = fixture.ask(session, .access(try! StoreName(name), as: other))
    else { return nil }
    return explanation
  }

  private static func verdicts(_ explanation: AccessExplanation?) -> [AccessExplanation.Verdict] {
    explanation?.answers.map(\.verdict) ?? []
  }

  @Test("for oneself it says what one may do and why, and neither the rule nor whose the store is")
  func oneself() throws {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    let shown = try #require(Self.explain(&fixture, alice, "shown.a"))
    #expect(Self.verdicts(shown) == [.yes, .no, .no, .no, .no, .no])
    #expect(shown.answers.map(\.subject) == ["anyone", "", "", "", "", ""])
    #expect(shown.rule == nil && shown.store == .untold && shown.socket == nil && !shown.isTrusted)
    #expect(
      shown.lines(about: try StoreName("shown.a"), "you") == [
        "  you may read: yes, because of anyone", "  you may write: no", "  you may create: no",
        "  you may remove: no", "  you may define: no",
        "  you may provide: no",
      ])
  }

  @Test(
    "a store that one may not read is explained as one that does not exist, and its declaration is not named")
  func hidden() throws {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    let absent = Self.explain(&fixture, alice, "own.nobodys")
    #expect(Self.verdicts(absent) == [.ifOwn, .ifOwn, .yes, .ifOwn, .no, .no])
    #expect(Self.explain(&fixture, alice, "own.root") == absent)
    for name in ["vault.pin", "vault.other"] {
      guard case .error(let error) = fixture.ask(alice, .write(.set(.name(try StoreName(name)), .integer(1))))
      else {
        Issue.record("\(name) can be created")
        continue
      }
      #expect(error.message == "you may not create it: no access rule of the hub allows it", "\(name)")
    }
  }

  @Test("of a store that one may read it says whether one owns it")
  func owner() throws {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    #expect(Self.verdicts(Self.explain(&fixture, alice, "desk.root")) == [.yes, .no, .yes, .no, .no, .no])
    #expect(Self.verdicts(Self.explain(&fixture, alice, "desk.new")) == [.yes, .ifOwn, .yes, .no, .no, .no])
    #expect(fixture.write(alice, .set("desk.mine", .integer(1))).errorCode == nil)
    #expect(Self.verdicts(Self.explain(&fixture, alice, "desk.mine")) == [.yes, .yes, .yes, .no, .no, .no])
  }

  @Test(
    "root and the hub's user may ask about others, and are told the rule and whose the store is; others may not"
  )
  func others() throws {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    let question = AccessQuestion(uid: Self.alice)
    for uid in [0, 7] as [UInt32] {
      let trusted = fixture.connect(Int32(uid) + 10, uid: uid)
      let own = try #require(Self.explain(&fixture, trusted, "shown.a"))
      #expect(own.isTrusted && own.answers.isEmpty && own.store == .of(uid: 0))
      let other = try #require(Self.explain(&fixture, trusted, "shown.a", as: question))
      #expect(other.rule == .init(origin: "access[0]", pattern: "shown.**"))
      #expect(other.store == .of(uid: 0) && Self.verdicts(other) == [.yes, .no, .no, .no, .no, .no])
      #expect(Self.explain(&fixture, trusted, "own.none", as: question)?.store == .missing)
      #expect(
        Self.verdicts(Self.explain(&fixture, trusted, "own.root", as: question)) == [
          .no, .no, .yes, .no, .no, .no,
        ])
      #expect(Self.explain(&fixture, trusted, "x", as: AccessQuestion(uid: 0))?.isTrusted == true)
    }
    let name = try StoreName("shown.a")
    #expect(fixture.ask(alice, .access(name, as: question)).errorCode == .denied)
    #expect(
      fixture.ask(fixture.connect(3, uid: 0, at: "look"), .access(name, as: question)).errorCode == .denied)
  }

  @Test("a further socket's limits count, for who comes through it and for who is asked about")
  func socket() throws {
    var fixture = Self.fixture()
    let root = fixture.connect(3, uid: 0)
    let there = fixture.connect(4, uid: Self.alice, at: "look")
    let question = AccessQuestion(uid: Self.alice, socket: "look")
    for explanation in [
      Self.explain(&fixture, there, "desk.new"), Self.explain(&fixture, root, "desk.new", as: question),
    ] {
      #expect(Self.verdicts(explanation) == [.yes, .notAtSocket, .yes, .no, .no, .no])
      #expect(
        explanation?.socket == .init(name: "look", rights: ["read", "create"], prefix: "desk", user: ""))
    }
    #expect(
      Self.verdicts(Self.explain(&fixture, there, "shown.a")) == [.notAtSocket, .no, .no, .no, .no, .no])
    let unknown = Self.explain(&fixture, root, "desk.new", as: AccessQuestion(uid: 5, socket: "none"))
    #expect(unknown?.socket?.rights == [] && Self.verdicts(unknown)[0] == .notAtSocket)
    let lines = try #require(Self.explain(&fixture, there, "desk.new")).lines(
      about: try StoreName("desk.new"), "you")
    #expect(lines[0] == "at the socket look the rights are limited to read, create below desk")
    #expect(lines[2] == "  you may write: no, because of the socket look")
  }

  @Test("a socket is described by what it takes away, and not at all if that is nothing")
  func limits() throws {
    func first(_ rights: [String], _ prefix: String, _ user: String) throws -> String? {
      var explanation = AccessExplanation()
      explanation.socket = .init(name: "web", rights: rights, prefix: prefix, user: user)
      return explanation.lines(about: try StoreName("a"), "you").first
    }
    let all = AccessExplanation.rights
    #expect(try first(all, "", "") == nil)
    #expect(try first(all, "ct", "") == "at the socket web only names below ct exist")
    #expect(try first(all, "", "user:7") == "at the socket web clients act as user:7")
    #expect(
      try first(["read"], "ct", "user:7")
        == "at the socket web the rights are limited to read below ct; clients act as user:7")
    let some = "at the socket web the rights are limited to read, write"
    #expect(try first(["read", "write"], "", "") == some)
    #expect(try first([], "ct", "") == "at the socket web nothing is permitted")
  }

  @Test("groups of the question count, and without rules everybody may do everything but provide")
  func groups() throws {
    var fixture = EngineFixture { options in
      options.access = accessRules([("a", [AccessGrant(.group(29, name: "audio"), .read)])])
    }
    let root = fixture.connect(1, uid: 0)
    #expect(Self.verdicts(Self.explain(&fixture, root, "a", as: AccessQuestion(uid: 5)))[0] == .no)
    let member = Self.explain(&fixture, root, "a", as: AccessQuestion(uid: 5, groups: [29]))
    #expect(member?.answers[0] == .init(right: "read", verdict: .yes, subject: "group:audio"))
    var open = EngineFixture { _ in }
    let anybody = open.connect(1, uid: 1000)
    let explanation = try #require(Self.explain(&open, anybody, "a"))
    #expect(Self.verdicts(explanation) == Array(repeating: .yes, count: 5) + [.no])
    #expect(explanation.rule?.origin == "defaultAccess \"open\"")
  }
}
