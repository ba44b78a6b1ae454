// What identifies a shared watch: its patterns, compared as text. It opens nothing.

internal import HubCore

/// The patterns of a watch. Streams with equal keys share one watch of the process.
struct WatchKey: Hashable, Sendable {
  let patterns: [NamePattern]
  private let text: String

  init(_ patterns: [NamePattern]) {
    self.patterns = patterns
    text = patterns.map(\.text).joined(separator: " ")
  }

  init(_ name: StoreName) throws(HubError) { self.init([try NamePattern(name.text)]) }

  /// The one store that is watched.
  var name: String? { isSingle ? text : nil }
  var isSingle: Bool { patterns.count == 1 && patterns[0].isLiteral }

  func matches(_ name: ByteView) -> Bool { patterns.contains { $0.matches(name) } }

  static func == (a: WatchKey, b: WatchKey) -> Bool { a.text == b.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
