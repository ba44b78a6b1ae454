// The hub's memory beside what it counts: each thing that users can make it keep, filled up to the limit at a real hub.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("The hub's memory", .blocking, .enabled(if: geteuid() == 0 && !isSanitized), .serialized)
struct MemoryFormulaTests {
  private static let limit = 8 << 20
  private static let user: UInt32 = 50_021

  /// What a user can make the hub keep. Each answers the request with this number; nil: there is no such request.
  enum Filling: String, CaseIterable, CustomTestStringConvertible {
    case numbers, longNames, shortTexts, longTexts, descriptions, choices, lifetimes, ephemerals
    case names, globs, deepGlobs, members, shrunkValues

    var testDescription: String { rawValue }

    /// A connection watches so many patterns, and no more.
    var isOfPatterns: Bool { self == .names || self == .globs }

    /// Before the filling, which is counted to root.
    var stores: Int { self == .members ? 2000 : 0 }

    private static func hundred(_ index: Int, _ text: (Int) -> String) throws -> [NamePattern] {
      try (0..<100).map { try NamePattern(text(100 * index + $0)) }
    }

    func requests(_ index: Int) throws -> [Request] {
      let name = try StoreName("s.\(index)")
      switch self {
      case .numbers: return [.write(.set(.name(name), .integer(1)))]
      case .longNames:
        let long = try StoreName("s\(index)." + String(repeating: "n", count: 240))
        return [.write(.set(.name(long), .integer(1)))]
      case .shortTexts: return [.write(.set(.name(name), .string(String(repeating: "t", count: 17))))]
      case .longTexts: return [.write(.set(.name(name), .string(String(repeating: "t", count: 900_000))))]
      case .descriptions:
        return [
          .write(.create(name, Schema(type: .integer, description: String(repeating: "d", count: 30_000))))
        ]
      case .choices:
        let choices = (0..<200).map { Value.string("choice number \($0) of many") }
        return [.write(.create(name, Schema(type: .string, choices: choices)))]
      case .lifetimes:
        return [
          .write(.set(.name(name), .integer(1), lifetime: Lifetime(ttl: 3_600_000 + UInt64(index % 1000))))
        ]
      case .ephemerals: return [.write(.set(.name(name), .integer(1), lifetime: Lifetime(ephemeral: true)))]
      case .names: return [.watch(try Self.hundred(index) { "w.\($0)" })]
      case .globs: return [.watch(try Self.hundred(index) { "w\($0).*" })]
      case .deepGlobs:
        return [.watch(try Self.hundred(index) { "w\($0)." + String(repeating: "a.", count: 100) + "**" })]
      case .members:
        // Each bit decides about a part of a glob that matches all of the names.
        var parts = ["*", "a", "b", "c"]
        for place in 1...3 where index >> place & 1 == 1 { parts[place] = "*" }
        for gap in (0...4).reversed() where index >> (4 + gap) & 1 == 1 { parts.insert("**", at: gap) }
        return [.watch([try NamePattern(parts.joined(separator: "."))])]
      case .shrunkValues:
        return [
          .write(.set(.name(name), .string(String(repeating: "t", count: 200_000)))),
          .write(.set(.name(name), .string(String(repeating: "t", count: 50_001)))),
        ]
      }
    }
  }

  @Test("does not grow by more than it counts, whatever a user fills it with", arguments: Filling.allCases)
  func each(_ filling: Filling) throws {
    let directory = try TemporaryDirectory()
    let (hub, root) = try start(in: directory, stores: filling.stores)
    var clients = [try client(of: hub)]
    let (counted, resident) = (try memoryBytes(root), residentBytes(hub))
    let refusal = try fill(&clients, hub, filling)
    #expect(refusal.code == .quota && refusal.message.contains("maxUserMemoryBytes"), "\(refusal)")
    let grown = (counted: try memoryBytes(root) - counted, resident: residentBytes(hub) - resident)
    #expect(grown.counted > Self.limit * 9 / 10 && grown.counted <= Self.limit)
    check(grown, filling.rawValue)
  }

  @Test("counts every store that a watch with a deadline was sent, at once")
  func deadlines() throws {
    let directory = try TemporaryDirectory()
    let (hub, root) = try start(in: directory, stores: 2000)
    let clients = try (0..<8).map { _ in try client(of: hub) }
    let (counted, resident) = (try memoryBytes(root), residentBytes(hub))
    let filter = try WatchFilter(deadline: .seconds(3600))
    for client in clients { try client.send(.watch([.everything], filter: filter)) }
    for client in clients { _ = try client.eventsUntilSynced() }
    let grown = (counted: try memoryBytes(root) - counted, resident: residentBytes(hub) - resident)
    #expect(grown.counted >= clients.count * 2000 * MemoryCost.deadline && grown.counted <= Self.limit)
    check(grown, "deadlines")
  }

  private func start(in directory: TemporaryDirectory, stores: Int) throws -> (HubProcess, root: RawClient) {
    let settings = "{ maxUserMemoryBytes: \(Self.limit), maxUserStores: 10000000, changeLogBytes: 65536 }"
    try directory.write(settings, to: "hub.json5")
    let hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    chmod(hub.socket, 0o666)
    chmod(directory.path, 0o755)
    let root = try hub.connect()
    for index in 0..<stores {
      _ = try root.call(.write(.set(.name(try StoreName("r\(index).a.b.c")), .integer(1))))
    }
    return (hub, root)
  }

  private func check(_ grown: (counted: Int, resident: Int), _ what: String) {
    // What is counted for nobody: buffers, and pages that are begun.
    let slack = 3 << 20
    #expect(grown.resident <= grown.counted + slack, "\(what): \(grown)")
    print("MEMORY \(what): counted \(grown.counted), resident \(grown.resident)")
  }

  private func client(of hub: HubProcess) throws -> RawClient {
    let client = try RawClient(to: hub.socket, as: Self.user)
    try client.hello()
    return client
  }

  /// Sends requests until one is refused, from as many connections as it takes.
  private func fill(
    _ clients: inout [RawClient], _ hub: HubProcess, _ filling: Filling
  ) throws -> HubError {
    var index = 0
    while index < 1_000_000 {
      if filling.isOfPatterns, index == 80 * clients.count { clients.append(try client(of: hub)) }
      let client = clients[clients.count - 1]
      var ids: [UInt32] = []
      let batch = [.longTexts, .shrunkValues, .deepGlobs, .members].contains(filling) ? 1 : 20
      for _ in 0..<batch {
        for request in try filling.requests(index) { ids.append(try client.send(request)) }
        index += 1
      }
      for id in ids {
        if case .error(let error) = try client.reply(to: id) { return error }
      }
    }
    throw TestFailure("nothing was refused")
  }

  private func memoryBytes(_ root: RawClient) throws -> Int {
    guard case .statistics(let figures) = try root.call(.stats) else { throw TestFailure("no figures") }
    return Int(figures.first { $0.name == "memory_bytes" }?.value ?? 0)
  }

  private func residentBytes(_ hub: HubProcess) -> Int { hub.process.residentKilobytes * 1024 }
}
