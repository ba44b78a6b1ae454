// What a write prints: nothing, its new value, its revision, or all of it as JSON.

internal import HubCore

struct WriteOutput {
  private let printsValue: Bool
  private let printsRevision: Bool
  private let json: Bool

  init(_ words: CommandLineWords, printsValue: Bool = false) {
    self.printsValue = printsValue
    printsRevision = words.has(.showRevision)
    json = words.has(.json)
  }

  func show(_ name: String, _ result: WriteResult, to output: inout Output) throws(Failure) {
    if json { return try output.json { $0.members(of: result, named: name) } }
    var parts: [String] = []
    if printsRevision { parts.append(String(result.revision)) }
    if printsValue, let value = result.value { parts.append(ValueText.line(value)) }
    if !parts.isEmpty { try output.line(parts.joined(separator: "\t")) }
  }
}

extension JSONWriter {
  mutating func members(of result: WriteResult, named name: String) {
    member("name", name)
    if let value = result.value { member("value", value) }
    member("revision", result.revision)
    member("version", result.version)
    member("changed", result.changed)
    member("durability", result.durability.description)
  }
}
