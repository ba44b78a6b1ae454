// Values: what makes two of them equal, what their bytes are, and which conversions there are.

import HubCore
import Testing

@Suite struct ValueTests {
  @Test("strings are equal when their bytes are, not when they look alike")
  func normalisation() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    #expect(composed == decomposed)
    #expect(Value.string(composed) != .string(decomposed))
    #expect(Value.json("\"\(composed)\"") != .json("\"\(decomposed)\""))
    #expect(Set([Value.string(composed), .string(decomposed)]).count == 2)
    #expect(Value.string(composed) == .string("\u{E9}"))
  }

  @Test("doubles are equal when their bits are")
  func doubles() {
    #expect(Value.double(0.0) != .double(-0.0))
    #expect(Value.double(.nan) == .double(.nan))
    #expect(Value.double(1) != .integer(1))
    #expect(Set([Value.double(0.0), .double(-0.0), .double(0.0)]).count == 2)
  }

  @Test("the same bytes under another type are another value")
  func types() {
    let text = "abc"
    let values: [Value] = [.string(text), .json(text), .data(Array(text.utf8))]
    #expect(Set(values).count == 3)
    #expect(Set(values.map(\.bytes)).count == 1)
  }

  @Test("a value's bytes are little-endian")
  func bytes() {
    #expect(Value.integer(0x0102_0304_0506_0708).bytes == [8, 7, 6, 5, 4, 3, 2, 1])
    #expect(Value.integer(-2).bytes == [0xFE] + [UInt8](repeating: 0xFF, count: 7))
    #expect(Value.double(-0.0).bytes == [0, 0, 0, 0, 0, 0, 0, 0x80])
    #expect(Value.boolean(true).bytes == [1])
    #expect(Value.boolean(false).bytes == [0])
    #expect(Value.string("é").bytes == [0xC3, 0xA9])
    #expect(Value.data([0, 255]).bytes == [0, 255])
  }

  @Test("an integer becomes a double only if nothing is lost")
  func widening() {
    #expect(Value.integer(1 << 53).converted(to: .double) == .double(9_007_199_254_740_992))
    #expect(Value.integer((1 << 53) + 1).converted(to: .double) == nil)
    #expect(Value.integer(.min).converted(to: .double) == .double(-9_223_372_036_854_775_808))
    #expect(Value.integer(.max).converted(to: .double) == nil)
    #expect(Value.integer(0).converted(to: .double) == .double(0.0))
  }

  @Test("nothing else is converted, and every type is converted to itself")
  func conversions() {
    for from in ValueType.allCases {
      for to in ValueType.allCases where from != to && (from, to) != (.integer, .double) {
        #expect(Value.zero(of: from).converted(to: to) == nil, "\(from) to \(to)")
      }
      #expect(Value.zero(of: from).converted(to: from) == Value.zero(of: from))
      #expect(Value.zero(of: from).type == from)
    }
  }

  @Test("types and durabilities are found by the names that they describe themselves with")
  func names() {
    for type in ValueType.allCases { #expect(ValueType(name: type.description) == type) }
    for durability in Durability.allCases { #expect(Durability(name: durability.description) == durability) }
    #expect(ValueType(name: "Integer") == nil)
    #expect(Durability(name: "") == nil)
  }

  @Test("an epoch is written as 32 hexadecimal digits")
  func epoch() {
    #expect(Epoch(high: 0xAB, low: 1).description == "00000000000000ab0000000000000001")
    #expect(Epoch(high: .max, low: .max).description == String(repeating: "f", count: 32))
    #expect(Epoch.random() != Epoch.random())
  }
}
