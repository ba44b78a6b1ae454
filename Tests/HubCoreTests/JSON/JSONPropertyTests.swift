// Owns what must hold for every text: round trips, truncation, damage, agreement with another reader.

import FoundationEssentials
import HubCore
import TestSupport
import Testing

struct JSONPropertyTests {
  @Test("a random tree, written and parsed, is the same tree", arguments: 0..<20 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var generator = JSONGenerator(seed: seed)
    for _ in 0..<50 {
      let value = generator.value(depth: 5)
      var writer = JSONWriter()
      writer.value(value)
      #expect(try JSON.parse(writer.bytes.span) == value)
      try JSON.validate(writer.bytes.span)
      let spelled = Array(generator.spelling(of: value).utf8)
      #expect(try JSON.parse(spelled.span) == value)
      #expect(try JSON.parse(spelled.span, dialect: .configuration) == value)
    }
  }

  @Test("a text that is cut short at any byte is rejected at its end, unless it is a number")
  func truncation() throws {
    var generator = JSONGenerator(seed: 1)
    for _ in 0..<40 {
      let value = JSONValue(.array([generator.value(depth: 3)]))
      let text = Array(generator.spelling(of: value).utf8)
      for length in text.indices {
        let cut = Array(text[..<length])
        let error = try #require(throws: JSONError.self) { try JSON.validate(cut.span) }
        // A cut may leave half of a surrogate pair: the parser stops there, the validator continues.
        let parserError = try #require(throws: JSONError.self) { try JSON.parse(cut.span) }
        #expect(parserError == error || parserError.reason == .loneSurrogate)
        switch error.reason {
        case .unexpectedEnd: #expect(error.position.offset == length)
        case .unknownWord(let word): #expect(error.position.offset == length - word.utf8.count)
        case .invalidUTF8: #expect(error.position.offset > length - 4)
        default: Issue.record("\(error) for \(String(decoding: cut, as: UTF8.self))")
        }
      }
    }
  }

  @Test(
    "damaged texts are read without a crash: all readers agree, and errors lie inside the text",
    arguments: 0..<20 as Range<UInt64>)
  func damage(seed: UInt64) {
    var generator = JSONGenerator(seed: 1000 + seed)
    for _ in 0..<100 {
      let value = generator.value(depth: 4)
      let text = generator.damaged(Array(generator.spelling(of: value).utf8))
      let validated = Result { () throws(JSONError) in try JSON.validate(text.span) }
      let parsed = Result { () throws(JSONError) in try JSON.parse(text.span) }
      var duplicates: [JSONError] = []
      let lenient = Result { () throws(JSONError) in
        try JSON.parseConfiguration(text.span, duplicates: &duplicates)
      }
      switch (validated, parsed) {
      case (.success, .success(let value)):
        #expect((try? lenient.get()) == value)
      case (.failure(let left), .failure(let right)):
        #expect(left == right || right.reason == .loneSurrogate)
        expectInside(left, text)
      case (.success, .failure(let error)) where error.reason == .loneSurrogate:
        expectInside(error, text)
      default:
        Issue.record("validator and parser disagree on \(String(decoding: text, as: UTF8.self))")
      }
      if case .failure(let error) = lenient { expectInside(error, text) }
    }
  }

  private func expectInside(_ error: JSONError, _ text: [UInt8]) {
    #expect(0...text.count ~= error.position.offset)
    let before = String(decoding: text[..<error.position.offset], as: UTF8.self)
    let lines = before.replacing("\r\n", with: "\n").unicodeScalars.split(
      omittingEmptySubsequences: false
    ) { $0 == "\n" || $0 == "\r" }
    #expect(error.position.line == lines.count || before.hasSuffix("\r"))
    #expect(error.position.column == (lines.last?.count ?? 0) + 1)
  }

  /// The other reader differs by design in what this corpus leaves out: it guesses UTF-16 and UTF-32 from NUL bytes, skips
  /// a byte order mark, allows 512 levels, and rejects numbers beyond the finite doubles. Neither reader turns half a
  /// surrogate pair into a string.
  @Test("the reader agrees with JSONDecoder on what is JSON", arguments: 0..<10 as Range<UInt64>)
  func agreement(seed: UInt64) {
    var generator = JSONGenerator(seed: 2000 + seed)
    var accepted = 0
    var rejected = 0
    for _ in 0..<150 {
      let value = generator.value(depth: 3)
      let whole = Array(generator.spelling(of: value).utf8)
      let text = Bool.random(using: &generator.random) ? whole : generator.damaged(whole)
      guard !text.contains(0), finite(text) else { continue }
      let ours = (try? JSON.parse(text.span)) != nil
      let theirs = (try? JSONDecoder().decode(Walk.self, from: Data(text))) != nil
      #expect(ours == theirs, "\(String(decoding: text, as: UTF8.self).debugDescription)")
      if ours { accepted += 1 } else { rejected += 1 }
    }
    #expect(accepted > 20 && rejected > 20)
  }

  private func finite(_ text: [UInt8]) -> Bool {
    func finite(_ value: JSONValue) -> Bool {
      switch value.content {
      case .number(let number): number.double != nil
      case .array(let elements): elements.allSatisfy(finite)
      case .object(let members): members.allSatisfy { finite($0.value) }
      default: true
      }
    }
    guard let value = try? JSON.parse(text.span) else { return true }
    return finite(value)
  }

  /// Makes a decoder read every value, key and number of a text.
  private struct Walk: Decodable {
    init(from decoder: any Decoder) throws {
      if var elements = try? decoder.unkeyedContainer() {
        while !elements.isAtEnd { _ = try elements.decode(Walk.self) }
      } else if let members = try? decoder.container(keyedBy: Key.self) {
        for key in members.allKeys { _ = try members.decode(Walk.self, forKey: key) }
      } else {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() || (try? value.decode(Bool.self)) != nil { return }
        if (try? value.decode(Double.self)) != nil { return }
        _ = try value.decode(String.self)
      }
    }

    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }
}
