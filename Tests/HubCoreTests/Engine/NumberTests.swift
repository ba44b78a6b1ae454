// Numbers that name something, started just before the end of what 32 bits hold, or of what they hold themselves.

import Testing

@testable import HubCore

@Suite("Numbers near their end") struct NumberTests {
  private static let end = UInt64(UInt32.max)

  @Test("stores are shown to those who watch them, and to no others, when walks pass 2^32", arguments: 0..<8)
  func walks(_ before: Int) throws {
    var hub = EngineFixture()
    hub.engine.feed = Feed(
      stepWork: .max, longFrame: hub.engine.options.longFrame, walks: Self.end - UInt64(before))
    let (writer, other) = (hub.connect(3), hub.connect(4))
    _ = hub.ask(other, .watch([try NamePattern("a.*"), try NamePattern("*.x")]))
    _ = hub.turn()
    for name in ["a.x", "a.y", "b.x"] as [StoreReference] { _ = hub.write(writer, .set(name, .integer(1))) }
    _ = hub.turn()
    for raw in 5..<9 as Range<Int32> {
      let watcher = hub.connect(raw)
      _ = hub.ask(watcher, .watch([try NamePattern("b.**"), try NamePattern("**.y")]))
      let names = (hub.turn()[raw] ?? []).compactMap { event in
        if case .current(let name, _) = event { name } else { nil }
      }
      #expect(Set(names) == ["a.y", "b.x"] && names.count == 2)
      // Several patterns make it due: it gets what concerns it.
      _ = hub.ask(writer, .transaction([.toggle("none")]))
      _ = hub.ask(
        writer, .transaction(["a.x", "a.y", "b.x"].map { .set($0, .integer(Int64(raw))) }))
      #expect(hub.turn()[raw]?.count == 3, "two changes and synced")
    }
  }

  @Test("the tree finds the same patterns when steps of walks pass 2^32", arguments: 0..<6)
  func steps(_ before: Int) throws {
    var trie = PatternTrie(steps: Self.end - UInt64(before))
    let nodes = try ["a.*", "**.c", "a.**", "x.y"].map { text in
      let node = trie.insert(try NamePattern(text))
      trie[node] = 7
      return node
    }
    for _ in 0..<6 {
      var (effort, found) = (Effort(.max), Set<Int32>())
      _ = Array("a.c".utf8).withByteView { trie.match($0, &effort) }
      for place in trie.found.indices { found.insert(trie.found[place]) }
      #expect(found == Set(nodes[0...2]))
    }
  }
}
