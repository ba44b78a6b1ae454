// Owns that stores of type json accept RFC 8259 and nothing else.

import HubCore
import Testing

struct JSONStoreTests {
  @Test(
    "a value of a json store is one valid JSON text", arguments: ["null", "5", " {\"a\" : [1]} ", #""é""#])
  func accepted(text: String) {
    #expect(Schema(type: .json).problem(with: .json(text)) == nil)
  }

  @Test(
    "what is not JSON is refused with its place",
    arguments: [
      ("", "not JSON: line 1, column 1: the text ends here, expected a value"),
      ("{a: 1}", "not JSON: line 1, column 2: unexpected 'a', expected a key or '}'"),
      ("[1,\n]", "not JSON: line 2, column 1: unexpected ']', expected a value"),
    ])
  func refused(text: String, message: String) {
    #expect(Schema(type: .json).problem(with: .json(text)) == HubError(.invalidValue, message))
  }

  @Test(
    "a schema longer than its frame may be is refused, however many choices make it so",
    arguments: [
      5000, 70_000,
    ])
  func longSchema(choices: Int) {
    let schema = Schema(type: .integer, choices: (0..<choices).map { .integer(Int64($0)) })
    let error = #expect(throws: HubError.self) { try schema.validated(store: "s") }
    #expect(error?.code == .invalidSchema)
  }
}
