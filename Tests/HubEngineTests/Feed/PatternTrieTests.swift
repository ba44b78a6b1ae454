// The tree of patterns by itself: it proposes every glob that matches, and asks no more nodes than a name can reach.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("The tree of patterns")
struct PatternTrieTests {
  private static let parts = ["a", "b", "c", "*", "**"]

  private func pattern(_ random: inout SeededGenerator) -> NamePattern {
    let count = Int.random(in: 1...5, using: &random)
    let text = (0..<count).map { _ in Self.parts.randomElement(using: &random)! }.joined(separator: ".")
    return try! NamePattern(text)
  }

  private func found(_ name: String, _ trie: inout PatternTrie, _ effort: inout Effort) -> Set<Int32> {
    _ = Array(name.utf8).withByteView { trie.match($0, &effort) }
    var found: Set<Int32> = []
    for place in trie.found.indices { found.insert(trie.found[place]) }
    return found
  }

  @Test(
    "what it finds is what the patterns match, while patterns come and go", arguments: 0..<6 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var trie = PatternTrie()
    // A pattern's node, and the pattern; equal ones share it.
    var nodes: [Int32: NamePattern] = [:]
    for _ in 0..<300 {
      if nodes.count > 40, let node = nodes.keys.sorted().randomElement(using: &random) {
        nodes[node] = nil
        trie[node] = -1
        trie.prune(node)
      } else {
        let pattern = pattern(&random)
        let node = trie.insert(pattern)
        nodes[node] = pattern
        trie[node] = 7
      }
      let count = Int.random(in: 1...6, using: &random)
      let name = (0..<count).map { _ in Self.parts[Int.random(in: 0..<3, using: &random)] }.joined(
        separator: ".")
      let expected = nodes.filter { $0.value.matches(try! StoreName(name)) }
      var effort = Effort(.max)
      #expect(
        found(name, &trie, &effort) == Set(expected.keys), "\(name), \(nodes.values.map(\.text).sorted())")
    }
  }

  @Test("a name costs the same beside 10 and beside 10,000 patterns that cannot match")
  func cost() {
    var costs: [Int] = []
    for count in [10, 10_000] {
      var trie = PatternTrie()
      for number in 0..<count { trie[trie.insert(try! NamePattern("q\(number).*.**"))] = 0 }
      var effort = Effort(.max)
      #expect(found("audio.volume.left", &trie, &effort).isEmpty)
      costs.append(effort.spent)
    }
    #expect(costs[0] == costs[1] && costs[0] > 0)
  }
}
