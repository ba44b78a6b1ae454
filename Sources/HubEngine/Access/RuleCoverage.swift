// Finds rules that can never apply, because a more specific rule matches every name that they match.

import HubCore

extension AccessTable {
  /// After this much work, in nanoseconds, no more rules are compared: during a reload the hub serves no one.
  package static let mostComparing = 50_000_000

  /// Rules that no name can reach, each with the rule in its way; nil: it matches only names that belong to the hub. Not all
  /// of them if finding them takes more than `mostComparing`.
  ///
  /// - Parameter work: raised by what it has cost.
  package func unreachable(_ work: inout Int) -> [(rule: AccessRule, because: AccessRule?)] {
    let configured = ranked.dropLast().filter { $0 != .providers }
    let globs = configured.filter { !$0.pattern.isLiteral }
    var found: [(rule: AccessRule, because: AccessRule?)] = []
    for rule in configured where rule.pattern.isOutOfReach { found.append((rule, nil)) }
    // By the last literal of each: it occurs in all patterns that the rule covers.
    var earlier: [NamePattern.Component?: [Int]] = [:]
    for (index, rule) in globs.enumerated() where work < AccessTable.mostComparing {
      if !rule.pattern.isOutOfReach {
        let others = (earlier[nil] ?? []) + rule.pattern.literals.flatMap { earlier[$0] ?? [] }
        work &+= Cost.entry * others.count
        let covering = others.sorted().first {
          work < AccessTable.mostComparing && globs[$0].pattern.covers(rule.pattern, &work)
        }
        if let covering { found.append((rule, globs[covering])) }
      }
      earlier[rule.pattern.components.last(where: \.isLiteral), default: []].append(index)
    }
    return found
  }
}

extension NamePattern.Component {
  fileprivate var isLiteral: Bool { if case .literal = self { true } else { false } }
}

extension NamePattern {
  /// All of its names are the hub's own, and clients cannot read them either.
  fileprivate var isOutOfReach: Bool { isReserved && !meets(.claimStates) }

  /// The stores of claims: their names have at least one component of their own.
  private static let claimStates = NamePattern(
    text: "statehub.providers.*.**",
    components: Array(NamePattern.providers.components.dropLast()) + [.one, .any])

  /// All of its names are the hub's own.
  var isReserved: Bool { components.first == .literal(Array("statehub".utf8)) }

  /// The most combinations that `covers` looks at; real patterns need a few dozen.
  private static let mostStates = 4096

  /// How far this pattern may have come with what the other one has produced.
  private struct State: Hashable {
    var other: Int
    var reached: Set<Int>
    var isEmpty: Bool
  }

  fileprivate var literals: Set<Component> { Set(components.filter(\.isLiteral)) }

  /// Whether it matches every name that `other` matches. Follows everything that `other` can produce; two components that
  /// neither pattern names behave alike, so one of them is enough. False if that takes too many steps.
  ///
  /// - Parameter work: raised by what it has cost.
  func covers(_ other: NamePattern, _ work: inout Int) -> Bool {
    work &+= Cost.found
    if let first = components.first, case .literal = first, first != other.components.first { return false }
    let letters = literals.union(other.literals) + [.literal([])]
    var seen: Set<State> = []
    var waiting = [State(other: 0, reached: closure([0]), isEmpty: true)]
    while let state = waiting.popLast() {
      work &+= Cost.state
      guard seen.insert(state).inserted else { continue }
      if seen.count > NamePattern.mostStates { return false }
      if state.other == other.components.count {
        if !state.isEmpty, !state.reached.contains(components.count) { return false }
        continue
      }
      let component = other.components[state.other]
      if component == .any {
        waiting.append(State(other: state.other + 1, reached: state.reached, isEmpty: state.isEmpty))
      }
      for letter in letters where letter == component || component == .one || component == .any {
        waiting.append(
          State(
            other: component == .any ? state.other : state.other + 1, reached: step(state.reached, letter),
            isEmpty: false))
      }
    }
    return true
  }

  private func step(_ reached: Set<Int>, _ letter: Component) -> Set<Int> {
    var next: Set<Int> = []
    for index in reached where index < components.count {
      if components[index] == .any { next.insert(index) }
      if components[index] == .one || components[index] == letter { next.insert(index + 1) }
    }
    return closure(next)
  }

  private func closure(_ reached: Set<Int>) -> Set<Int> {
    var all = reached
    for var index in reached {
      while index < components.count, components[index] == .any {
        index += 1
        all.insert(index)
      }
    }
    return all
  }
}

extension Permissions {
  /// Whether an audience has the right `provide` on all names that these patterns can match.
  ///
  /// - Parameter work: raised by what it has cost.
  func mayProvide(_ patterns: [NamePattern], _ index: AudienceIndex, _ work: inout Int) -> Bool {
    for pattern in patterns where !mayProvide(pattern, index, &work) { return false }
    return true
  }

  /// Whether an audience may read a store that both patterns match: by the most specific rule that concerns it. Rules and
  /// patterns are compared in pairs: globs that have a name in common only two by two may count as if they all had.
  ///
  /// - Parameters:
  ///   - creator: of such stores.
  ///   - work: raised by what it has cost.
  func mayRead(
    _ one: NamePattern, _ other: NamePattern, _ index: AudienceIndex, createdBy creator: UInt32?,
    _ work: inout Int
  ) -> Bool {
    guard index != Permissions.everything, let table, let identity = identity(of: index) else { return true }
    if let limit = limit(of: index) {
      let below = limit.prefix.flatMap { try? NamePattern("\($0).*.**") } ?? .everything
      guard limit.rights.contains(.read), below.meets(one), below.meets(other) else { return false }
    }
    let isOwner = creator.map { identity.owns(createdBy: $0) } ?? false
    for rule in table.ranked.indices {
      let pattern = table.ranked[rule].pattern
      work &+= Cost.found
      guard !pattern.isReserved, pattern.meets(one), pattern.meets(other) else { continue }
      let granted = table.rights(of: identity, by: rule)
      if granted.anywhere.contains(.read) || isOwner && granted.asOwner.contains(.read) { return true }
      if pattern.covers(one, &work) || pattern.covers(other, &work) { return false }
    }
    return false
  }

  /// Whether the rules let an audience provide every name that a pattern matches: each rule that can decide on one of
  /// them must grant it, and no name may be left to the default access.
  private func mayProvide(_ pattern: NamePattern, _ index: AudienceIndex, _ work: inout Int) -> Bool {
    guard index != Permissions.everything, let table, let identity = identity(of: index),
      limit(of: index)?.rights.contains(.provide) ?? true
    else { return false }
    // Starts with the most specific one, until one decides on all remaining names.
    for rule in table.ranked.indices {
      work &+= Cost.found
      if table.ranked[rule].pattern.isReserved || !table.ranked[rule].pattern.meets(pattern) { continue }
      if !table.rights(of: identity, by: rule).anywhere.contains(.provide) { return false }
      if table.ranked[rule].pattern.covers(pattern, &work) {
        guard let prefix = limit(of: index)?.prefix else { return true }
        // Names below it, not itself.
        return (try? NamePattern("\(prefix).*.**"))?.covers(pattern, &work) ?? false
      }
    }
    return false
  }
}
