// Owns the tests with random damage: whatever the source, an expansion ends, and is never half of one.

import TestSupport
import Testing

@testable import HubMacros

@Suite("Damaged source")
struct FuzzTests {
  private static let seeds = [
    ##"""
    @CasePathable public indirect enum Foo<T, U>: Equatable, Sendable where T: P {
      // comment {
      case a, b(Int), c(x: [String: T], _ y: (Int) -> Void = { _ in "}" })
      #if DEBUG && os(Linux)
      @available(*, deprecated, message: "x") case d(Self?)
      #else
      case `default`(any P & Q, Never)
      #endif
      var e: Int { /[a-z"]/; return 1 / 2 }
      static let f = #"\#(g("}"))"#, h = """
        \(i { $0 })
        """
    }
    """##,
    #"""
    @DependencyClient
    public struct Client<T>: Sendable {
      public var fetch: @Sendable (_ id: Int, inout T) async throws(E) -> [T?] = { a < b ? c : d }
      var stream: (@MainActor @Sendable () -> AsyncStream<T>), go: (A...) -> Void
      private let id = 1, name: String?
      public var limit: Int = Dictionary<Int, Int>().count { didSet { print("{") } }
      func f() -> Int { 1 }
    }
    """#,
    #"""
    @Reducer struct Feature { enum Action { case a }; var body: some ReducerOf<Self> { Reduce { _, _ in .none } } }
    """#,
    #"var body: some Reducer<State, B<C, D>> { get { A() } }"#,
  ]

  private static let pieces = [
    "(", ")", "[", "]", "{", "}", "<", ">", "\"", "\"\"\"", "#\"", "\\(", "/*", "*/", "//", "/", "`", "\n",
    " ",
    ",", ":", ";", "=", "->", "?", "...", "&", "@", "#if A\n", "#endif\n", "#", "case ", "var ", "enum E {",
    "Self", "é", "→", "\u{0}", "inout ", "throws(", "_ ", "$", ".", "~",
  ]

  /// `seed` with a few random insertions, removals and repetitions.
  private func mutate(_ seed: String, _ generator: inout SeededGenerator) -> String {
    var text = Array(seed.unicodeScalars)
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !text.isEmpty {
      let start = Int.random(in: 0..<text.count, using: &generator)
      let end = min(text.count, start + Int.random(in: 0...12, using: &generator))
      switch Int.random(in: 0...3, using: &generator) {
      case 0: text.removeSubrange(start..<end)
      case 1:
        text.insert(contentsOf: text[start..<end], at: Int.random(in: 0...text.count, using: &generator))
      default:
        let piece = Self.pieces.randomElement(using: &generator) ?? ""
        text.insert(contentsOf: piece.unicodeScalars, at: start)
      }
    }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: text)
    return String(result)
  }

  @Test(
    "never crashes an expansion, and never gets through it unbalanced")
  func mutations() throws {
    for (index, seed) in Self.seeds.enumerated() {
      for round in 0..<400 {
        var generator = SeededGenerator(seed: UInt64(index * 1_000_000 + round))
        let source = mutate(seed, &generator)
        for (macro, role) in Expectation.all {
          if let complaint = Expectation.check(source, macro, role) {
            Issue.record("seed \(index), round \(round): \(complaint)\n\(source)")
            return
          }
        }
      }
    }
  }

  @Test("is rejected at a place inside of it, wherever it is cut off", .blocking)
  func truncations() throws {
    for seed in Self.seeds {
      for length in 0..<seed.utf8.count {
        guard let source = String(validating: seed.utf8.prefix(length), as: UTF8.self) else { continue }
        for (macro, role) in Expectation.all {
          #expect(Expectation.check(source, macro, role) == nil, "\(macro) \(role): \(source)")
        }
      }
    }
  }
}
