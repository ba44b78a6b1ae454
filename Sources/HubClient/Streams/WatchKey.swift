// What identifies a shared watch: its patterns, compared as text. It opens nothing.

internal import HubCore

/// The patterns of a watch. Streams with equal keys share one watch of the process.
struct WatchKey: Hashable, Sendable {
  let patterns: [NamePattern]
  private let text: String
  /// One store is watched, by its name.
  let isSingle: Bool

  init(_ patterns: [NamePattern]) {
    self.patterns = patterns
    text = patterns.map(\.text).joined(separator: " ")
    isSingle = patterns.count == 1 && patterns[0].isLiteral
  }

  init(_ name: StoreName) throws(HubError) { self.init([try NamePattern(name.text)]) }

  /// The one store that is watched.
  var name: String? { isSingle ? text : nil }

  func matches(_ name: ByteView) -> Bool { patterns.contains { $0.matches(name) } }

  static func == (a: WatchKey, b: WatchKey) -> Bool { a.text == b.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
