// Owns how values are written: separators, escapes, numbers.

import HubCore
import Testing

struct JSONWriterTests {
  private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("separators stand between elements and members, and nowhere else")
  func separators() {
    let text = written { writer in
      writer.beginObject()
      writer.key("empty")
      writer.beginArray()
      writer.endArray()
      writer.key("list")
      writer.beginArray()
      writer.integer(-1)
      writer.boolean(true)
      writer.beginObject()
      writer.endObject()
      writer.null()
      writer.raw("[1, 2]".utf8)
      writer.endArray()
      writer.key("data")
      writer.data([0xFF, 0x00])
      writer.endObject()
    }
    #expect(text == #"{"empty":[],"list":[-1,true,{},null,[1, 2]],"data":"/wA="}"#)
  }

  @Test("JSON lines are texts of their own")
  func lines() {
    let text = written { writer in
      writer.integer(1)
      writer.newline()
      writer.string("two")
      writer.newline()
    }
    #expect(text == "1\n\"two\"\n")
  }

  @Test("a writer continues after bytes that are there")
  func appending() {
    var writer = JSONWriter(appendingTo: Array("x=".utf8))
    writer.boolean(false)
    #expect(writer.bytes == Array("x=false".utf8))
  }

  @Test("quotes, backslashes and every control character are escaped; other text is not")
  func escapes() {
    #expect(written { $0.string("a\"b\\c/é€𝄞") } == #""a\"b\\c/é€𝄞""#)
    #expect(written { $0.string("\n\r\t\u{8}\u{c}\0\u{1b}[31m") } == #""\n\r\t\b\f\u0000\u001b[31m""#)
    #expect(
      written { $0.string("\u{7f}\u{80}\u{9b}\u{9f}\u{a0}") } == "\"\\u007f\\u0080\\u009b\\u009f\u{a0}\"")
  }

  @Test(
    "a double is written by its shortest exact digits, an infinity or NaN as null",
    arguments: [
      (0.1, "0.1"), (5, "5.0"), (-0.0, "-0.0"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
      (.infinity, "null"),
      (.nan, "null"),
    ] as [(Double, String)])
  func doubles(value: Double, text: String) {
    #expect(written { $0.double(value) } == text)
    #expect((JSONNumber(value) == nil) == (text == "null"))
  }

  @Test("a tree is written as it was read, numbers to the letter")
  func tree() throws {
    let text = #"{"b":[1.50,-0,1E+2,12345678901234567890],"a":{"x":null,"x":true},"":""}"#
    let value = try JSON.parse(Array(text.utf8).span)
    #expect(written { $0.value(value) } == text)
  }
}
