// Owns "did you mean": which word is near, and which is not.

import HubCore
import Testing

struct SuggestionTests {
  @Test(
    "the edit distance counts insertions, deletions, replacements and swaps of neighbours",
    arguments: [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("maximum", "maxmium", 1),
      ("ab", "ba", 1), ("ca", "abc", 3), ("é", "e", 1), ("same", "same", 0),
    ])
  func distances(left: String, right: String, distance: Int) {
    #expect(Suggestion.editDistance(left, right) == distance)
    #expect(Suggestion.editDistance(right, left) == distance)
  }

  static let keys = ["socket", "sandbox", "logLevel", "maxClients", "maxStores", "maximum", "minimum", "min"]

  @Test(
    "a slip of the hand, another case and another word separator find the word",
    arguments: [
      ("sokcet", "socket"), ("log_level", "logLevel"), ("log-level", "logLevel"), ("LOGLEVEL", "logLevel"),
      ("maxClient", "maxClients"), ("maxmum", "maximum"), ("minimun", "minimum"), ("mni", "min"),
    ])
  func near(word: String, suggestion: String) {
    #expect(Suggestion.nearest(word, in: Self.keys) == suggestion)
  }

  @Test(
    "an unrelated, empty or enormous word has no suggestion",
    arguments: [
      "colour", "x", "", "timeout", String(repeating: "socket", count: 100_000),
    ])
  func far(word: String) {
    #expect(Suggestion.nearest(word, in: Self.keys) == nil)
  }

  @Test("the nearest of several wins, and the first of equally near ones")
  func nearest() {
    #expect(Suggestion.nearest("maxStore", in: ["maxClients", "maxStored", "maxStore"]) == "maxStore")
    #expect(Suggestion.nearest("bat", in: ["cat", "hat"]) == "cat")
  }
}
