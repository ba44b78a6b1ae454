// The picture that docs/internals/ARCHITECTURE.md begins with: every type that it names is declared in Sources.

import FoundationEssentials
import TestSupport
import Testing

@Suite("The picture of the architecture")
struct PictureTests {
  /// The names in `<text class="type" …>`, each once.
  private static let names: Set<String> = {
    let matches = readFile("\(checkout)/docs/internals/architecture.svg").matches(
      of: /<text class="type"[^>]*>([^<]*)<\/text>/)
    return Set(matches.map { String($0.1) })
  }()

  /// The types that the sources declare.
  private static let types: Set<String> = {
    var types: Set<String> = []
    let files = (try? FileManager.default.subpathsOfDirectory(atPath: "\(checkout)/Sources")) ?? []
    for file in files where file.hasSuffix(".swift") {
      for match in readFile("\(checkout)/Sources/\(file)").matches(
        of: /(?:class|struct|enum|actor) ([A-Z][A-Za-z]*)/)
      {
        types.insert(String(match.1))
      }
    }
    return types
  }()

  @Test("names types that exist", arguments: names.sorted())
  func exists(name: String) {
    let isDeclared = Self.types.contains(name)
    #expect(isDeclared, "docs/internals/architecture.svg names \(name), which Sources does not declare")
  }

  @Test("names the types that a change passes through")
  func complete() {
    #expect(
      Self.names.isSuperset(of: [
        "SharedValue", "ClientCore", "SocketDriver", "EventLoop", "Connections", "ReplyGate", "HubEngine",
        "Stores", "History", "Feed", "Ledger", "Journal", "JournalWorker", "ServerImage", "WatchView",
        "EventStream",
      ]))
  }

  @Test("is what the page begins with")
  func shown() throws {
    let page = readFile("\(checkout)/docs/internals/ARCHITECTURE.md")
    let start = try #require(page.firstRange(of: "](architecture.svg)")).lowerBound
    #expect(!page[..<start].contains("##"))
  }
}
