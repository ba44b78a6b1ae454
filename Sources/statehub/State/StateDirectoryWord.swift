// The one operand of `inspect`, `repair` and `new-epoch`: a directory, after `--` also one whose name begins with a hyphen.

enum StateDirectoryWord {
  /// - Returns: nil if the words are anything else than one directory.
  static func only(_ words: [String]) -> String? {
    let isMarked = words.first == "--"
    let words = isMarked ? Array(words.dropFirst()) : words
    guard words.count == 1, !words[0].isEmpty, isMarked || !words[0].hasPrefix("-") else { return nil }
    return words[0]
  }
}
