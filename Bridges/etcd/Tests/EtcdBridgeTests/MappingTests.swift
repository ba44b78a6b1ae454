// The mapping of names and of values, by generators: there and back again.

import EtcdBridge
import Foundation
import HubClient
import Testing

@Suite struct MappingTests {
  @Test func everyKeyHasOneNameAndComesBack() throws {
    let mapping = try NameMapping(prefix: "/fleet/", base: "net")
    var generator = SystemRandomNumberGenerator()
    // Special characters, more often than by chance.
    let alphabet = Array("ab_x.-/5fé \0\u{7f}".utf8) + [0xff, 0x80]
    var names: [String: Data] = [:]
    for _ in 0..<20000 {
      let rest = (0..<Int.random(in: 0...8)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      let key = Data("/fleet/".utf8) + rest
      guard case .store(let name) = mapping.place(of: key) else {
        Issue.record("\(key) has no name")
        continue
      }
      #expect(throws: Never.self) { try StoreName(name) }
      #expect(mapping.key(of: name) == key)
      if let other = names[name] { #expect(other == key) }
      names[name] = key
    }
  }

  @Test(arguments: [
    ("a/b", "net.a.b"), ("cpu_load", "net.cpu_load"), ("a.b", "net.a_x2eb"), ("", "net._x"),
    ("a//b", "net.a._x.b"),
    ("a/", "net.a._x"), ("_x", "net._x5fx"), ("_x2e", "net._x5fx2e"), ("é", "net._xc3_xa9"),
    ("_x2", "net._x2"),
  ])
  func namesReadAsTheDocumentSays(_ key: String, _ name: String) throws {
    let mapping = try NameMapping(prefix: "/fleet/", base: "net")
    #expect(mapping.place(of: Data("/fleet/\(key)".utf8)) == .store(name))
    #expect(mapping.key(of: name) == Data("/fleet/\(key)".utf8))
  }

  @Test(arguments: ["net", "net.", "other.a", "net._x41", "net._x2ebridge.a", "net.a.", "net..a"])
  func namesOfNoKeyAreRejected(_ name: String) throws {
    #expect(try NameMapping(prefix: "/fleet/", base: "net").key(of: name) == nil)
  }

  @Test func aNameThatIsTooLongIsReported() throws {
    let mapping = try NameMapping(prefix: "/fleet/", base: "net")
    let longest = String(repeating: "a", count: 251)
    #expect(mapping.place(of: Data("/fleet/\(longest)".utf8)) == .store("net.\(longest)"))
    guard case .unmappable = mapping.place(of: Data("/fleet/\(longest)b".utf8)) else {
      Issue.record("it was mapped")
      return
    }
    #expect(mapping.place(of: Data("/fleet/.bridge/m1".utf8)) == .own)
  }

  @Test(arguments: ["fleet", "/fleet", "x"])
  func aPrefixEndsWithASlash(_ prefix: String) {
    #expect(throws: BridgeProblem.self) { try NameMapping(prefix: prefix, base: "net") }
  }

  @Test(arguments: ["", "a..b", "statehub.x", "statehub", "statehub-bridge.x", "a b"])
  func reservedNamesAreRejected(_ base: String) {
    #expect(throws: BridgeProblem.self) { try NameMapping(prefix: "/fleet/", base: base) }
  }

  // MARK: Values

  @Test func everyJSONValueComesBackAsItIs() throws {
    for _ in 0..<5000 {
      let value: HubValue =
        switch Int.random(in: 0..<4) {
        case 0: .integer(.random(in: .min ... .max))
        case 1: .double(Double(bitPattern: .random(in: .min ... .max)).finite)
        case 2: .boolean(.random())
        default:
          .string(
            String(
              decoding: (0..<Int.random(in: 0...12)).map { _ in UInt8.random(in: 0...255) }, as: UTF8.self))
        }
      #expect(try ValueMapping.json.value(try ValueMapping.json.bytes(value), fitting: nil) == value)
    }
    for number in [0, -0.0, 5, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
      #expect(
        try ValueMapping.json.value(try ValueMapping.json.bytes(.double(number)), fitting: nil)
          == .double(number))
    }
  }

  @Test(arguments: [
    ("1", HubValue.integer(1)), (" 1\n", .integer(1)), ("1.0", .double(1)), ("1e2", .double(100)),
    ("-0", .double(-0.0)),
    ("true", .boolean(true)), ("\"a\\n\"", .string("a\n")), ("null", .json("null")), ("[1]", .json("[1]")),
    (" {}", .json(" {}")), ("9223372036854775807", .integer(.max)),
    ("9223372036854775808", .json("9223372036854775808")),
    ("1e999", .json("1e999")),
  ])
  func jsonHasTheTypesOfTheHub(_ text: String, _ value: HubValue) throws {
    #expect(try ValueMapping.json.value(Data(text.utf8), fitting: nil) == value)
    #expect(try ValueMapping.json.value(Data(text.utf8), fitting: .json) == .json(text))
  }

  @Test func aDoubleStaysOne() throws {
    #expect(try ValueMapping.json.value(Data("3".utf8), fitting: .double) == .double(3))
    #expect(try ValueMapping.json.value(Data("3".utf8), fitting: .string) == .integer(3))
  }

  @Test(arguments: ["", "x", "{", "tru", "01", "+1", "NaN", "[1,]", "\"a", "1 2", "'a'"])
  func invalidJSONIsRejected(_ text: String) {
    #expect(throws: ValueMapping.Mismatch.self) { try ValueMapping.json.value(Data(text.utf8), fitting: nil) }
  }

  @Test func textsAndBytesAreKept() throws {
    #expect(try ValueMapping.text.value(Data("1".utf8), fitting: nil) == .string("1"))
    #expect(try ValueMapping.text.bytes(.string("é")) == Data("é".utf8))
    #expect(throws: ValueMapping.Mismatch.self) { try ValueMapping.text.value(Data([0xff]), fitting: nil) }
    #expect(throws: ValueMapping.Mismatch.self) { try ValueMapping.text.bytes(.integer(1)) }
    #expect(try ValueMapping.data.value(Data([0, 255]), fitting: nil) == .data([0, 255]))
    #expect(try ValueMapping.data.bytes(.data([7])) == Data([7]))
    #expect(throws: ValueMapping.Mismatch.self) { try ValueMapping.data.bytes(.string("x")) }
    #expect(throws: ValueMapping.Mismatch.self) { try ValueMapping.json.bytes(.data([1])) }
    #expect(throws: ValueMapping.Mismatch.self) {
      try ValueMapping.data.value(Data(count: 1 << 20), fitting: nil)
    }
  }
}

extension Double {
  /// Itself, or 0.
  fileprivate var finite: Double { isFinite ? self : 0 }
}
