// Owns base64: the vectors of RFC 4648, and that all data has exactly one text.

import HubCore
import TestSupport
import Testing

struct Base64Tests {
  @Test(
    "the test vectors of RFC 4648 hold in both directions",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, encoded: String) throws {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(try Base64.decode(encoded) == Array(plain.utf8))
  }

  @Test("every byte survives, whatever the length")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 64)
    for length in 0..<200 {
      let data = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(try Base64.decode(Base64.encode(data)) == data)
    }
    let every = Array(UInt8.min...UInt8.max)
    #expect(try Base64.decode(Base64.encode(every)) == every)
  }

  @Test(
    "anything but the one canonical text is refused with the reason",
    arguments: [
      ("Zg", .truncated), ("Zg=", .truncated), ("Zm9vY", .truncated),
      ("Zh==", .nonCanonical), ("Zo==", .nonCanonical), ("Zm9=", .nonCanonical), ("Zm+=", .nonCanonical),
      ("Z===", .invalidCharacter(offset: 1)), ("====", .invalidCharacter(offset: 0)),
      ("Zg==Zg==", .invalidCharacter(offset: 2)), ("Zm9-", .invalidCharacter(offset: 3)),
      ("Zm 9", .invalidCharacter(offset: 2)), ("Zm9v\nZm9", .invalidCharacter(offset: 4)),
      ("é==", .invalidCharacter(offset: 0)),
    ] as [(String, Base64.DecodingError)])
  func refusals(text: String, error: Base64.DecodingError) {
    #expect(throws: error) { try Base64.decode(text) }
  }
}
