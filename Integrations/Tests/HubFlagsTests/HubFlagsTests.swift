// How flags are evaluated from stores, what goes wrong with them, and what their users are told.

import HubClient
import HubFlags
import HubTesting
import IntegrationSupport
import Testing

@Suite("Flags in a hub", .timeLimit(.minutes(4)))
final class HubFlagsTests: Sendable {
  let hub = Hub.inMemory()

  deinit { hub.close() }

  private func flags() async throws -> FeatureFlags { try await FeatureFlags(hub: hub).following(hub) }

  private let menu = #"""
    {"variants": {"on": true, "off": false}, "defaultVariant": "off",
     "targeting": [{"if": {"group": ["staff", "beta"], "country": ["de"]}, "variant": "on"},
                   {"percent": 25, "variant": "on"}]}
    """#

  private func set(_ flag: String, _ value: HubValue) async throws {
    try await hub.anyValue("flags.\(flag)").set(value)
  }

  @Test("a plain store is a flag for everybody")
  func plain() async throws {
    try await set("a", .boolean(true))
    try await set("b", .integer(3))
    try await set("c", .string("blue"))
    try await set("d", .double(0.5))
    let flags = try await flags()
    #expect(flags.value("a", default: false))
    #expect(flags.value("b", default: 0) == 3)
    #expect(flags.value("b", default: 0.0) == 3)
    #expect(flags.value("c", default: "") == "blue")
    #expect(
      flags.details("d", default: 0.0)
        == FlagDetails(value: 0.5, variant: nil, reason: .static, errorCode: nil))
  }

  @Test("the first rule whose conditions all hold decides, and then the default variant")
  func rules() async throws {
    try await set("menu", .json(menu))
    let flags = try await flags()
    func details(_ attributes: [String: String]) -> FlagDetails<Bool> {
      flags.details("menu", default: true, for: FlagContext(attributes: attributes))
    }
    #expect(
      details(["group": "beta", "country": "de"])
        == FlagDetails(value: true, variant: "on", reason: .targetingMatch, errorCode: nil))
    for attributes in [["group": "beta"], ["group": "beta", "country": "fr"], ["country": "de"], [:]] {
      #expect(
        details(attributes) == FlagDetails(value: false, variant: "off", reason: .default, errorCode: nil))
    }
  }

  @Test(
    "a split has about its share, and the same keys on every evaluation; a wider one keeps those of the narrower"
  )
  func split() async throws {
    try await set("menu", .json(menu))
    let flags = try await flags()
    func chosen() -> Set<Int> {
      Set(
        (0..<4000).filter { flags.value("menu", default: false, for: FlagContext(targetingKey: "user\($0)")) }
      )
    }
    let first = chosen()
    #expect((900...1100).contains(first.count))
    #expect(chosen() == first)
    #expect(
      flags.details("menu", default: false, for: FlagContext(targetingKey: "user\(first.min() ?? 0)")).reason
        == .split)
    try await set("menu", .json(menu.replacing("25", with: "50")))
    while chosen().count == first.count { await Task.yield() }
    #expect(chosen().isSuperset(of: first))
    #expect((1900...2100).contains(chosen().count))
  }

  @Test("what cannot be evaluated is the program's default, with OpenFeature's code")
  func errors() async throws {
    try await set("text", .string("x"))
    try await set("broken", .json(#"{"variants": 1}"#))
    try await set("dangling", .json(#"{"variants": {}, "defaultVariant": "on"}"#))
    try await set("off", .json(#"{"enabled": false, "variants": {"a": 1}, "defaultVariant": "a"}"#))
    let flags = try await flags()
    func code(_ flag: String) -> FlagErrorCode? {
      let details = flags.details(flag, default: 7)
      #expect(details.value == 7)
      return details.errorCode
    }
    #expect(code("none") == .flagNotFound)
    #expect(code("text") == .typeMismatch)
    #expect(code("broken") == .parseError)
    #expect(code("dangling") == .parseError)
    #expect(code("off") == nil)
    #expect(flags.details("off", default: 7).reason == .disabled)
  }

  @Test("a hub that is away leaves the flags as they were, and says stale")
  func stale() async throws {
    try await set("a", .boolean(true))
    let flags = try await flags()
    hub.memory?.stop()
    #expect(
      flags.details("a", default: false)
        == FlagDetails(value: true, variant: nil, reason: .stale, errorCode: nil))
  }

  @Test("events say that the flags are there, which have changed, and when the hub is away and back")
  func events() async throws {
    let memory = try #require(hub.memory)
    try await set("a", .boolean(true))
    let flags = try await flags()
    var events = flags.events.makeAsyncIterator()
    #expect(await events.next() == .ready)
    try await set("a", .boolean(false))
    #expect(await events.next() == .changed(["a"]))
    try await hub.anyValue("flags.a").remove()
    #expect(await events.next() == .changed(["a"]))
    memory.stop()
    guard case .stale(let error) = await events.next() else {
      Issue.record("the absence was not told")
      return
    }
    #expect(error.code == .connectionLost)
    memory.start(keepingState: true)
    memory.advance(by: .seconds(10))
    while let event = await events.next(), event != .ready {}
    hub.close()
    #expect(await events.next() == nil)
  }
}
