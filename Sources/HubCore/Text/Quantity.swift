// Owns how a count of things is written: "1 store", "2 stores".

/// - Parameter noun: one whose plural ends in "s".
package func quantity(_ count: some BinaryInteger, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
