// How statectl reads values and times from the command line, and shows them.

import HubCore
import Testing

@testable import statectl

@Suite("statectl's values")
struct StatectlValueTests {
  @Test(
    "a value for a new store is read by JSON's grammar",
    arguments: [
      ("5", Value.integer(5)), ("-5", .integer(-5)), ("0", .integer(0)), ("-0", .integer(0)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("5.0", .double(5)), ("1e3", .double(1000)), ("-2.5E-1", .double(-0.25)),
      ("true", .boolean(true)), ("false", .boolean(false)),
      (#"{"a":[1,2]}"#, .json(#"{"a":[1,2]}"#)), ("[]", .json("[]")), (" [1] ", .json(" [1] ")),
      ("", .string("")), ("null", .string("null")), ("\"text\"", .string("\"text\"")),
      ("05", .string("05")), ("+5", .string("+5")), (".5", .string(".5")), ("5.", .string("5.")),
      ("0x10", .string("0x10")), (" 5", .string(" 5")), ("5 ", .string("5 ")), ("True", .string("True")),
      ("inf", .string("inf")), ("nan", .string("nan")), ("it's", .string("it's")), ("a [1", .string("a [1")),
      ("äöü", .string("äöü")),
    ])
  func inference(text: String, value: Value) throws {
    #expect(try ValueSyntax.inferred(Argument(text), store: "s") == value)
  }

  @Test(
    "what begins like JSON and is not is refused for a new store, with how to make it a string",
    arguments: [#"{"a":"#, "{a:1}", "[1", " [1,]", "\"open", "\"a\" b", "[draft] title", "{", "["])
  func broken(text: String) throws {
    do throws(Failure) {
      let value = try ValueSyntax.inferred(Argument(text), store: "s")
      Issue.record("\(text) was read as \(value)")
    } catch {
      #expect(error.status == 6)
      let message = try #require(error.message)
      #expect(message.hasPrefix("s: the value begins like JSON but is not JSON: column "))
      #expect(message.hasSuffix(" (to set it as a string, add --type string)"))
    }
    #expect(try ValueSyntax.value(Argument(text), as: .string, store: "s") == .string(text))
  }

  @Test(
    "characters that a terminal obeys or does not show are escaped, and others are not",
    arguments: [
      ("a\u{1B}[2J", #"a\u001b[2J"#), ("\u{85}\u{7F}", #"\u0085\u007f"#), ("x\ny\tz", #"x\ny\tz"#),
      ("abc\u{202E}fed", #"abc\u202efed"#), ("\u{2066}a\u{2069}", #"\u2066a\u2069"#), ("\u{61C}", #"\u061c"#),
      ("pay\u{200B}pal", #"pay\u200bpal"#), ("\u{FEFF}x", #"\ufeffx"#), ("a\u{AD}b", #"a\u00adb"#),
      ("\u{2028}\u{2029}", #"\u2028\u2029"#), ("\u{E0041}", #"\udb40\udc41"#),
      ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"), ("❤\u{FE0F}", "❤\u{FE0F}"),
      ("نامه\u{200C}ای", "نامه\u{200C}ای"), ("äöü \u{A0}日本", "äöü \u{A0}日本"), ("עברית", "עברית"),
    ])
  func hidden(text: String, shown: String) {
    #expect(ValueText.visible(text) == shown)
    #expect(ValueText.line(.string(text)) == shown)
    #expect(ValueText.shown(.data(Array(text.utf8))) == shown)
  }

  @Test("JSON with such characters escaped is the same JSON, and a line of it stays a line")
  func hiddenInJSON() throws {
    let text = "\u{202E}a\u{2028}\u{85}\u{E0041}😀é\u{200D}"
    var writer = JSONWriter()
    writer.string(text)
    writer.newline()
    let shown = ValueText.visible(json: writer.bytes)
    #expect(
      String(decoding: shown, as: UTF8.self) == #""\u202ea\u2028\u0085\udb40\udc41😀é"# + "\u{200D}\"\n")
    guard case .string(let parsed) = try JSON.parse(shown.span).content else { return #expect(Bool(false)) }
    #expect(Array(parsed.utf8) == Array(text.utf8))
  }

  @Test(
    "a number whose digits a double holds is a double, on the command line and in pipe",
    arguments: [
      ("0.1", 0.1), ("1.0", 1), ("-0.0", -0.0), ("0e999999999999999999999", 0), ("0.10", 0.1),
      ("1e300", 1e300),
      ("1E+3", 1000), ("0.000001", 0.000001), ("5e-324", .leastNonzeroMagnitude),
      ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("3.1415926535897931", .pi), ("0.10000000000000001", 0.1), ("100000000000000000000", 1e20),
      ("9223372036854776000", 9_223_372_036_854_775_808),
      ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
      ("9007199254740992.0", 9_007_199_254_740_992),
    ])
  func held(text: String, value: Double) throws {
    #expect(try ValueSyntax.inferred(Argument(text), store: "s") == .double(value))
    #expect(try piped(text) == .double(value))
  }

  @Test(
    "a number of which a double would lose a digit is text, on the command line and in pipe",
    arguments: [
      "89490200001234567890", "9223372036854775808", "-9223372036854775809", "18446744073709551615",
      "3.14159265358979323846", "0.1000000000000000055", "9007199254740993.0", "1e400", "-1e400", "1e-400",
      "1e99999999999999999999", "123456789.123456789123456789", "4.9e-325",
      String(repeating: "1", count: 5000),
    ])
  func notHeld(text: String) throws {
    #expect(try ValueSyntax.inferred(Argument(text), store: "s") == .string(text))
    #expect(try piped(text) == .string(text))
    // A type that is asked for decides, as before.
    #expect(throws: Failure.self) { try ValueSyntax.value(Argument(text), as: .integer, store: "s") }
    // Sums and comparisons are numbers all the same.
    if text.utf8.count < 30, !text.contains("e") {
      #expect(try ValueSyntax.delta(Argument(text), store: "s") == .double(#require(Double(text))))
    }
  }

  /// What a number of a line of `pipe` becomes in a new store.
  private func piped(_ number: String) throws -> Value? {
    let line = try PipeLine(Array(#"{"op":"set","name":"s","value":\#(number)}"#.utf8))
    let write = try StoreWrite(.set, try line.fields(.set))
    guard case .set(_, let value, _, _, _) = try write.operation(nil) else { return nil }
    return value
  }

  @Test(
    "the refusal of a long value shows only how it begins",
    arguments: [ValueType.integer, .double, .boolean], ["9", "x"])
  func long(type: ValueType, character: String) throws {
    do throws(Failure) {
      _ = try ValueSyntax.value(Argument(String(repeating: character, count: 5000)), as: type, store: "s")
      Issue.record("it was read")
    } catch {
      let message = try #require(error.message)
      #expect(message.contains(String(repeating: character, count: 80) + "…"))
      #expect(message.count < 200)
    }
  }

  @Test("JSON that is nested too deeply for the hub is still JSON")
  func deep() throws {
    let text = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(try ValueSyntax.inferred(Argument(text), store: "s") == .json(text))
  }

  @Test(
    "a value for a store is read as the store's type",
    arguments: [
      ("5", ValueType.double, Value.double(5)), ("5", .string, .string("5")), ("5", .json, .json("5")),
      ("true", .string, .string("true")), ("007", .integer, .integer(7)), (".5", .double, .double(0.5)),
      ("5", .data, .data([0x35])), ("null", .json, .json("null")), ("[", .string, .string("[")),
    ])
  func typed(text: String, type: ValueType, value: Value) throws {
    #expect(try ValueSyntax.value(Argument(text), as: type, store: "s") == value)
  }

  @Test(
    "what is not a value of the type is refused",
    arguments: [
      ("5.5", ValueType.integer, HubError.Code.invalidValue), ("", .integer, .invalidValue),
      ("99999999999999999999", .integer, .outOfRange), ("-99999999999999999999", .integer, .outOfRange),
      ("abc", .double, .invalidValue), ("inf", .double, .invalidValue), ("nan", .double, .invalidValue),
      ("0x1p3", .double, .invalidValue), ("1e999", .double, .outOfRange), ("yes", .boolean, .invalidValue),
      ("1", .boolean, .invalidValue), (" 5", .integer, .invalidValue),
    ])
  func refused(text: String, type: ValueType, code: HubError.Code) {
    do throws(Failure) {
      let value = try ValueSyntax.value(Argument(text), as: type, store: "s")
      Issue.record("\(text) was read as \(value)")
    } catch {
      #expect(error.isHub(code))
      #expect(error.status == 6)
    }
  }

  @Test("text that is not UTF-8 is refused, as data it is kept byte for byte")
  func bytes() throws {
    let argument = Argument(bytes: [0x61, 0xFF, 0x00, 0x0A])
    for type in [ValueType.string, .json] {
      #expect(throws: Failure.self) { try ValueSyntax.value(argument, as: type, store: "s") }
    }
    #expect(throws: Failure.self) { try ValueSyntax.inferred(argument, store: "s") }
    #expect(try ValueSyntax.value(argument, as: .data, store: "s") == .data([0x61, 0xFF, 0x00, 0x0A]))
  }

  @Test("on one line control characters are escaped, data is base64 and JSON stays JSON")
  func line() {
    #expect(
      ValueText.line(.string("a\tb\nc\u{1B}[2J\u{7F}\u{9B}ä\\n")) == #"a\tb\nc\u001b[2J\u007f\u009bä\n"#)
    #expect(ValueText.line(.data([0xFF, 0x01])) == "/wE=")
    #expect(ValueText.line(.json("{\n  \"a\": \"\u{9B}\"\r\n}")) == #"{   "a": "\u009b"  }"#)
    #expect(ValueText.line(.double(0.1)) == "0.1")
    #expect(ValueText.line(.integer(-5)) == "-5")
  }

  @Test("for the eye, bytes that are not text are escaped one by one")
  func shown() {
    #expect(ValueText.shown(.data([0x61, 0xFF, 0xC3, 0xA4, 0xE2, 0x82, 0x0A])) == #"a\xffä\xe2\x82\n"#)
    #expect(ValueText.shown(.string("a\u{1B}b")) == #"a\u001bb"#)
  }

  @Test("raw is raw")
  func raw() {
    #expect(ValueText.raw(.string("a\u{1B}\n")) == [0x61, 0x1B, 0x0A])
    #expect(ValueText.raw(.data([0, 255])) == [0, 255])
    #expect(ValueText.raw(.boolean(true)) == Array("true".utf8))
  }

  @Test(
    "lengths of time are read exactly",
    arguments: [
      ("5", Duration.seconds(5)), ("1.5", .milliseconds(1500)), ("1.5s", .milliseconds(1500)),
      ("200ms", .milliseconds(200)), ("0.000000001", .nanoseconds(1)), (".5", .milliseconds(500)),
      ("10m", .seconds(600)), ("2h", .seconds(7200)), ("1d", .seconds(86400)), ("0.5d", .seconds(43200)),
    ])
  func durations(text: String, duration: Duration) {
    #expect(TimeText.duration(text) == duration)
  }

  @Test(
    "what is not a length of time is refused",
    arguments: ["", ".", "s", "5x", "-5", "1e3", "5 s", "1.2.3", "999999999999d", "٥"])
  func noDurations(text: String) {
    #expect(TimeText.duration(text) == nil)
  }

  @Test("a time to live is never rounded down to none")
  func milliseconds() {
    #expect(TimeText.milliseconds(.nanoseconds(1)) == 1)
    #expect(TimeText.milliseconds(.milliseconds(1500)) == 1500)
    #expect(TimeText.milliseconds(.nanoseconds(1_500_000_001)) == 1501)
  }

  @Test(
    "moments are shown in UTC",
    arguments: [
      (Int64(0), "1970-01-01T00:00:00.000000000Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
      (951_782_400_000_000_000, "2000-02-29T00:00:00.000000000Z"),
      (1_785_326_400_123_456_789, "2026-07-29T12:00:00.123456789Z"),
      (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999999999Z"),
      (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000000Z"),
    ])
  func moments(nanoseconds: Int64, text: String) {
    #expect(TimeText.rfc3339(nanoseconds) == text)
  }

  @Test("choices are split at commas without a backslash")
  func choices() {
    #expect(Argument("a,b,c").splitAtCommas == ["a", "b", "c"])
    #expect(Argument(#"a\,b,c\d,"#).splitAtCommas == ["a,b", #"c\d"#, ""])
  }
}
