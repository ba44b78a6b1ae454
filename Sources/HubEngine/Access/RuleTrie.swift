// Finds the most specific of many patterns that matches a name, in time that depends on the name, not on the number of patterns.

import HubCore

/// Patterns by their components, as a tree: those with the same beginning share nodes. A name is followed component by component
/// through all nodes that match so far. These are at most one more with each component for patterns that are names, or names
/// and one `**` at their end; other globs can add the nodes that they do not share.
struct RuleTrie: Sendable {
  private struct Node: Sendable {
    /// By the bytes of the component, ascending.
    var literals: [(bytes: [UInt8], node: Int32)] = []
    /// Where `*` leads; -1: nowhere.
    var one: Int32 = -1
    /// Where `**` leads; -1: nowhere.
    var any: Int32 = -1
    /// Stands for `**`: stays reached whatever follows.
    var isAny = false
    /// The rank of the pattern that ends here; `none`: no pattern does.
    var rank = RuleTrie.none
  }

  private static let none = Int32.max
  private var nodes = [Node()]

  /// - Parameter ranked: the most specific first. Of equal ones the first counts.
  init(_ ranked: [NamePattern]) {
    for (rank, pattern) in ranked.enumerated() {
      var node = 0
      for component in pattern.components { node = child(of: node, component) }
      nodes[node].rank = min(nodes[node].rank, Int32(rank))
    }
  }

  private mutating func child(of node: Int, _ component: NamePattern.Component) -> Int {
    let new = Int32(nodes.count)
    switch component {
    case .literal(let bytes):
      let place = bytes.withByteView { self.place(of: $0, in: node) }
      if place < nodes[node].literals.count, nodes[node].literals[place].bytes == bytes {
        return Int(nodes[node].literals[place].node)
      }
      nodes[node].literals.insert((bytes, new), at: place)
    case .one:
      if nodes[node].one >= 0 { return Int(nodes[node].one) }
      nodes[node].one = new
    case .any:
      if nodes[node].any >= 0 { return Int(nodes[node].any) }
      nodes[node].any = new
    }
    nodes.append(Node())
    nodes[Int(new)].isAny = component == .any
    return Int(new)
  }

  /// The rank of the most specific pattern that matches a valid name; nil if none does.
  func rank(of name: ByteView) -> Int? {
    var reached: [Int32] = []
    reach(0, in: &reached)
    var start = 0
    while start < name.count, !reached.isEmpty {
      var end = start
      while end < name.count, name[end] != UInt8(ascii: ".") { end += 1 }
      let component = name.slice(start, end - start)
      // Those that stay reached come first, so that they are found when they are reached again.
      var next = reached.filter { nodes[Int($0)].isAny }
      for node in reached {
        if let literal = literal(of: node, component) { reach(literal, in: &next) }
        if nodes[Int(node)].one >= 0 { reach(nodes[Int(node)].one, in: &next) }
      }
      reached = next
      start = end + 1
    }
    let best = reached.map { nodes[Int($0)].rank }.min() ?? RuleTrie.none
    return best == RuleTrie.none ? nil : Int(best)
  }

  /// With the node, `**` after it is reached too: it needs no component.
  private func reach(_ node: Int32, in reached: inout [Int32]) {
    reached.append(node)
    let any = nodes[Int(node)].any
    if any >= 0, !reached.contains(any) { reached.append(any) }
  }

  private func literal(of node: Int32, _ component: ByteView) -> Int32? {
    let place = place(of: component, in: Int(node))
    guard place < nodes[Int(node)].literals.count else { return nil }
    let (bytes, child) = nodes[Int(node)].literals[place]
    return bytes.elementsEqual(component.buffer) ? child : nil
  }

  /// The index of a literal among a node's, or where it would be.
  private func place(of component: ByteView, in node: Int) -> Int {
    var (low, high) = (0, nodes[node].literals.count)
    while low < high {
      let middle = (low + high) / 2
      let isBefore = nodes[node].literals[middle].bytes.lexicographicallyPrecedes(component.buffer)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
