// The hint for an unknown word.

internal import HubCore

extension Suggestion {
  /// The word that is probably meant, else all of them.
  ///
  /// - Parameter kind: what they are, as in `types`.
  static func hint(for word: String, among known: [String], of kind: String) -> String {
    nearest(word, in: known).map { "did you mean \($0)?" } ?? "\(kind) are \(known.joined(separator: ", "))"
  }
}
