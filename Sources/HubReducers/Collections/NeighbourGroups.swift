// Owns the grouping of neighbours.

extension Sequence {
  /// Cuts the sequence wherever two neighbours do not match: `[1, 1, 2].group(by: ==)` is `[[1, 1], [2]]`.
  ///
  /// Every group has at least one element, and joining the groups gives the sequence again. Idea: Oliver
  /// Foggin's articles on functional thinking.
  public func group(by matches: (Element, Element) throws -> Bool) rethrows -> [[Element]] {
    try reduce(into: []) { groups, next in
      if let last = groups.last?.last, try matches(last, next) {
        groups[groups.count - 1].append(next)
      } else {
        groups.append([next])
      }
    }
  }
}
