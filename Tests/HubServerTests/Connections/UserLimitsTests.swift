// How many connections a user may have and how fast they may come: the rule by itself, and real users at a real hub.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("A user's connections")
struct UserLimitsTests {
  private static let second: UInt64 = 1_000_000_000

  /// How many of a user's connections, one after another at the same moment, are admitted.
  private func admitted(_ limits: inout UserLimits, _ uid: UInt32, of count: Int, at now: UInt64) -> Int {
    var admitted = 0
    for _ in 0..<count where (try? limits.admit(uid, having: 0, now: now)) != nil { admitted += 1 }
    return admitted
  }

  @Test(
    "those of four seconds may come at once, and then as many as time brings; another user is not concerned")
  func rate() {
    var limits = UserLimits(mostClients: 10, perSecond: 100, hubUser: 999)
    let start = 5 * Self.second
    #expect(admitted(&limits, 1000, of: 1000, at: start) == 400)
    #expect(admitted(&limits, 1001, of: 1000, at: start) == 400)
    #expect(admitted(&limits, 1000, of: 1000, at: start + Self.second / 100 - 1) == 0)
    #expect(admitted(&limits, 1000, of: 1000, at: start + Self.second / 2) == 50)
    #expect(
      admitted(&limits, 1000, of: 1000, at: start + 100 * Self.second) == 400, "no more than that is saved up"
    )
  }

  @Test("a bucket of one in a second admits four, and the next a second later")
  func slowest() {
    var limits = UserLimits(mostClients: 10, perSecond: 1, hubUser: 999)
    #expect(admitted(&limits, 1000, of: 9, at: Self.second) == 4)
    #expect(admitted(&limits, 1000, of: 9, at: 2 * Self.second - 1) == 0)
    #expect(admitted(&limits, 1000, of: 9, at: 2 * Self.second) == 1)
  }

  @Test("as many as the limit and no more; root and the hub's own user have none")
  func number() {
    var limits = UserLimits(mostClients: 10, perSecond: 1, hubUser: 999)
    #expect(throws: Never.self) { try limits.admit(1000, having: 9, now: 1) }
    #expect(throws: UserLimits.Refusal.tooMany(1000, limit: 10)) {
      try limits.admit(1000, having: 10, now: 1)
    }
    for uid in [0, 999] as [UInt32] {
      for _ in 0..<100 { #expect(throws: Never.self) { try limits.admit(uid, having: 1_000_000, now: 1) } }
      #expect(throws: UserLimits.Refusal.tooMany(uid, limit: 10), "at a further socket, everybody has") {
        try limits.admit(uid, having: 10, isFurther: true, now: 1)
      }
    }
  }

  @Test("who has not connected lately is forgotten, and who has is not, however many users there are")
  func manyUsers() {
    var limits = UserLimits(mostClients: 10, perSecond: 1, hubUser: 999)
    #expect(admitted(&limits, 1000, of: 9, at: 10 * Self.second) == 4)
    for uid in 2000..<4000 as Range<UInt32> { _ = admitted(&limits, uid, of: 1, at: 10 * Self.second) }
    #expect(admitted(&limits, 1000, of: 9, at: 10 * Self.second) == 0)
    for uid in 5000..<9000 as Range<UInt32> { _ = admitted(&limits, uid, of: 1, at: 30 * Self.second) }
    #expect(admitted(&limits, 1000, of: 9, at: 30 * Self.second) == 4)
  }
}

@Suite("Real users' connections", .blocking, .enabled(if: geteuid() == 0))
struct UserLimitProcessTests {
  private func start(_ directory: TemporaryDirectory, _ settings: String) throws -> HubProcess {
    try directory.write(settings, to: "hub.json5")
    let hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    chmod(hub.socket, 0o666)
    chmod(directory.path, 0o755)
    return hub
  }

  private func connect(_ hub: HubProcess, _ user: UInt32) throws -> RawClient {
    try RawClient(to: hub.socket, as: user, group: user, groups: [])
  }

  private func refusal(_ client: RawClient) throws -> HubError? {
    guard case .reply(0, .error(let error)) = try client.next() else { return nil }
    return error
  }

  @Test(
    "a user with too many is told so, others and root come in, and one that goes makes room, over a reload too"
  )
  func number() throws {
    let directory = try TemporaryDirectory()
    let hub = try start(directory, "{ maxUserClients: 3 }")
    let user: UInt32 = 50_011
    var clients = try (0..<3).map { _ in try connect(hub, user) }
    for client in clients { try client.hello() }
    func expectRefusal() throws {
      let error = try refusal(try connect(hub, user))
      #expect(error?.code == .quota)
      #expect(
        error?.message
          == "user 50011 has 3 connections, as many as maxUserClients in the hub's configuration allows, or three quarters of its maxClients"
      )
    }
    try expectRefusal()
    try connect(hub, user + 1).hello()
    let root = try (0..<5).map { _ in try hub.connect() }
    guard case .reloaded = try root[0].call(.reload) else { throw TestFailure("not reloaded") }
    try expectRefusal()
    clients.removeLast().close()
    // The hub has noticed the end once the connection is listed no more.
    while case .clients(let list, _) = try root[0].call(.clients(after: -1, limit: 100)),
      list.filter({ $0.peer.uid == user }).count > 2
    {}
    try connect(hub, user).hello()
    try hub.terminate()
    #expect(hub.reports(": user 50011 has 3 connections"))
  }

  @Test("whoever meets a limit is named in the log once, with the limit and what raises it")
  func named() throws {
    let directory = try TemporaryDirectory()
    let hub = try start(directory, "{ maxStores: 2 }")
    let user: UInt32 = 50_013
    let client = try connect(hub, user)
    try client.hello()
    for number in 0..<20 {
      _ = try client.call(.write(.set(.name(try StoreName("s.\(number)")), .integer(1))))
    }
    // Another user's refusal is another line.
    let root = try hub.connect()
    _ = try root.call(.write(.set(.name(try StoreName("root")), .integer(1))))
    guard case .statistics(let figures) = try root.call(.stats) else { throw TestFailure("no figures") }
    let named = Dictionary(uniqueKeysWithValues: figures.map { ($0.name, $0.value) })
    #expect(named["limit:maxStores"] == 2 && named["use:maxStores"] == 2)
    #expect(named["limit:maxUserClients"] == 4096 && named["use:maxUserClients"] == 1)
    #expect(named["use:maxClients"] == 2)
    try hub.terminate()
    let lines = hub.standardError.split(separator: "\n").filter { $0.contains("refused a request") }
    #expect(lines.count == 2, "\(lines)")
    #expect(
      lines.first?.hasSuffix(
        "of user 50013: the hub holds 2 stores: maxStores in its configuration allows 2") == true)
  }

  @Test("a user that connects too often is told so, and may again a moment later")
  func rate() throws {
    let directory = try TemporaryDirectory()
    let hub = try start(directory, "{ userConnectsPerSecond: 2 }")
    let user: UInt32 = 50_012
    var welcome = 0
    var error: HubError?
    while error == nil, welcome < 100 {
      let client = try connect(hub, user)
      if (try? client.hello()) != nil { welcome += 1 } else { error = HubError(.quota, "") }
      client.close()
    }
    #expect(welcome >= 8 && welcome < 100)
    _ = try hub.connect()
    var isWelcome = false
    for _ in 0..<100_000 where !isWelcome { isWelcome = (try? connect(hub, user).hello()) != nil }
    #expect(isWelcome, "half a second brings the next")
    try hub.terminate()
    #expect(hub.reports("user 50012 connects too often: userConnectsPerSecond"))
  }
}
