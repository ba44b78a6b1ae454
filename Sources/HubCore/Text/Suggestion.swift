// Owns "did you mean": the known word nearest to an unknown one; it has no list of words itself.

package enum Suggestion {
  /// Longer words are only compared for equality, so hostile input costs nothing.
  static let longestWord = 64

  /// The candidate that `word` most likely means; nil if none is near enough.
  ///
  /// Case, hyphens and underscores do not count: `log-level` is `logLevel`. Beyond that, one edit in three characters may
  /// be wrong. The first of equally near candidates wins.
  package static func nearest(_ word: String, in candidates: some Sequence<String>) -> String? {
    let wanted = normalized(word)
    guard wanted.count <= longestWord else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let known = normalized(candidate)
      let allowed = max(1, max(wanted.count, known.count) / 3)
      guard abs(known.count - wanted.count) <= allowed else { continue }
      let distance = editDistance(wanted, known)
      guard distance <= allowed, distance < best?.distance ?? .max else { continue }
      best = (candidate, distance)
    }
    return best?.candidate
  }

  /// Edits that turn one word into the other: insertions, deletions, replacements, and swaps of neighbours (optimal string
  /// alignment). Counts Unicode scalars; costs the product of the lengths.
  package static func editDistance(_ left: String, _ right: String) -> Int {
    editDistance(Array(left.unicodeScalars), Array(right.unicodeScalars))
  }

  private static func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for (row, character) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          previous[column + 1] + 1, current[column] + 1, previous[column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforePrevious[column - 1] + 1)
        }
        current.append(cost)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[right.count]
  }

  private static func normalized(_ word: String) -> [Unicode.Scalar] {
    word.lowercased().unicodeScalars.filter { $0 != "-" && $0 != "_" }
  }
}
