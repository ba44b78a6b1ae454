// docs/vectors: which files exist, their content, and that the code still agrees.

import FoundationEssentials
import HubCore
import TestSupport
import Testing

/// `STATEHUB_WRITE_VECTORS=1 swift test --filter VectorFileTests` makes the files.
@Suite struct VectorFileTests {
  static let folder = "\(checkout)/docs/vectors"
  static let names = ["exchanges", "messages", "names", "schemas", "values", "views"]

  @Test("the files of vectors say what the encoders, the rules and the hub say", arguments: names)
  func files(_ name: String) throws {
    let vectors: JSONValue =
      switch name {
      case "exchanges": .list(ExchangeVectors.all.map(\.played))
      case "messages": MessageVectors.json
      case "names": NameVectors.json
      case "schemas": SchemaVectors.json
      case "values": ValueVectors.json
      case "views":
        .list(
          ViewScripts.all.map { script in
            var reference = ViewReference()
            let steps = script.steps.map { reference.play($0) }
            return ["name": .text(script.name), "about": .text(script.about), "steps": .list(steps)]
          })
      default: .null
      }
    let text = vectors.laidOut() + "\n"
    let path = "\(VectorFileTests.folder)/\(name).json"
    if ProcessInfo.processInfo.environment["STATEHUB_WRITE_VECTORS"] != nil {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let written = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    #expect(written == text, "\(name).json is not up to date")
  }
}
