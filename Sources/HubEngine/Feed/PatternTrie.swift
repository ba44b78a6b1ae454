// Finds the globs that match a name, without trying those that cannot. It holds only numbers; the table owns the patterns.
//
// A tree of components: a node has children by literal component, one for `*` and one for `**`. A walk keeps the set of nodes
// that the name has reached, component by component; a `**` stays reached. Children are found by hash, of which two may be
// equal: then the tree proposes one pattern too many, which its owner rejects by matching it.

import HubCore

/// Invariant: every node but the root has a child or a pattern.
struct PatternTrie: ~Copyable {
  // Not private, because the compiler (6.3) fails to specialise a pool of a private type.
  struct Node {
    var parent: Int32
    /// How its parent finds it: a literal's hash, or one of the two constants below.
    var key: UInt64
    var one: Int32 = -1
    var any: Int32 = -1
    /// The patterns that end here, in a list through `PatternRecord.nextAtNode`.
    var patterns: Int32 = -1
    var children: Int32 = 0
    /// The newest step of a walk that has reached it.
    var reached: UInt64 = 0
  }

  // Not private, as Node.
  struct Edge: ShardedKey {
    var node: Int32
    var key: UInt64

    var shard: Int { Int(truncatingIfNeeded: key >> 8) &+ Int(node) }
  }

  private var nodes = Pool<Node>()
  private var edges = Shards<Edge, Int32>()
  /// Each component of each walk is a step. 64 bits last for centuries.
  private var step: UInt64 = 0
  private let seed = UInt64.random(in: 1 ... .max)
  // The nodes of the current step of a walk, and of the next one.
  private var active = Table<Int32>()
  private var coming = Table<Int32>()
  /// What the last walk has found.
  private(set) var found = Table<Int32>()

  private static let one: UInt64 = 0
  private static let any: UInt64 = 1

  /// - Parameter steps: how many steps there were already, for tests.
  init(steps: UInt64 = 0) {
    step = steps
    _ = nodes.add(Node(parent: -1, key: PatternTrie.any))
  }

  // MARK: Patterns

  /// The node where a pattern ends, made if there is none.
  mutating func insert(_ pattern: NamePattern) -> Int32 {
    var node: Int32 = 0
    for component in pattern.components { node = child(of: node, key(of: component)) }
    return node
  }

  /// The first pattern at a node; -1: none.
  subscript(node: Int32) -> Int32 {
    get { nodes[node].patterns }
    set { nodes[node].patterns = newValue }
  }

  /// A pattern of the node is gone: removes the nodes that are no longer needed.
  mutating func prune(_ start: Int32) {
    var node = start
    while node > 0, nodes[node].patterns < 0, nodes[node].children == 0 {
      let (parent, key) = (nodes[node].parent, nodes[node].key)
      switch key {
      case PatternTrie.one: nodes[parent].one = -1
      case PatternTrie.any: nodes[parent].any = -1
      default: edges[Edge(node: parent, key: key)] = nil
      }
      nodes[parent].children -= 1
      nodes.remove(node)
      node = parent
    }
  }

  private func key(of component: NamePattern.Component) -> UInt64 {
    switch component {
    case .one: PatternTrie.one
    case .any: PatternTrie.any
    case .literal(let bytes): bytes.withByteView { hash($0) }
    }
  }

  private mutating func child(of parent: Int32, _ key: UInt64) -> Int32 {
    if let found = find(parent, key) { return found }
    let index = nodes.add(Node(parent: parent, key: key))
    switch key {
    case PatternTrie.one: nodes[parent].one = index
    case PatternTrie.any: nodes[parent].any = index
    default: edges[Edge(node: parent, key: key)] = index
    }
    nodes[parent].children += 1
    return index
  }

  private func find(_ parent: Int32, _ key: UInt64) -> Int32? {
    switch key {
    case PatternTrie.one: nodes[parent].one < 0 ? nil : nodes[parent].one
    case PatternTrie.any: nodes[parent].any < 0 ? nil : nodes[parent].any
    default: edges[Edge(node: parent, key: key)]
    }
  }

  // MARK: Walking

  /// Finds the nodes at which patterns end that the name matches, and by a rare accident others: see `found`.
  ///
  /// - Parameter givesUp: stops when the effort is spent.
  /// - Returns: whether it has not stopped.
  @discardableResult
  mutating func match(_ name: ByteView, _ effort: inout Effort, givesUp: Bool = false) -> Bool {
    coming.removeAll()
    step += 1
    reach(0)
    swap(&active, &coming)
    var start = 0
    while start <= name.count, !active.isEmpty {
      var end = start
      while end < name.count, name[end] != UInt8(ascii: ".") { end += 1 }
      effort.spend(Cost.node * active.count)
      if givesUp, effort.isSpent { return false }
      advance(over: hash(name.slice(start, end - start)))
      start = end + 1
    }
    found.removeAll()
    for place in active.indices where nodes[active[place]].patterns >= 0 { found.append(active[place]) }
    return true
  }

  /// Goes one component further.
  private mutating func advance(over key: UInt64) {
    coming.removeAll()
    step += 1
    for place in active.indices {
      let node = active[place]
      if nodes[node].key == PatternTrie.any, node > 0 { reach(node) }
      if nodes[node].one >= 0 { reach(nodes[node].one) }
      if nodes[node].children > 0, let next = edges[Edge(node: node, key: key)] { reach(next) }
    }
    swap(&active, &coming)
  }

  /// The node is reached, and with it its `**`, which may stand for nothing.
  private mutating func reach(_ node: Int32) {
    var node = node
    while node >= 0, nodes[node].reached != step {
      nodes[node].reached = step
      coming.append(node)
      node = nodes[node].any
    }
  }

  /// Neither of the two constants.
  private func hash(_ component: ByteView) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: component.count)
    for offset in 0..<component.count { state = (state ^ UInt64(component[offset])) &* 0x0000_0100_0000_01B3 }
    state ^= state >> 29
    state = state &* 0xBF58_476D_1CE4_E5B9
    return (state ^ state >> 32) | 2
  }
}
