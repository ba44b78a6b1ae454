// The journal's entries as bytes, and that the catalogue explains each message that the hub can log, and no other.

import FoundationEssentials
import Testing

@testable import HubServer

@Suite("The log in the journal")
struct LogTests {
  @Test("an entry has its fields in lines, and a message of several lines with its length")
  func entries() {
    let plain = JournalEntry(level: .warning, id: .stopped, message: "stopped, with 3 clients")
    #expect(
      String(decoding: plain.bytes, as: UTF8.self) == """
        MESSAGE=stopped, with 3 clients
        PRIORITY=4
        MESSAGE_ID=961628303b154e32a6ef9713bbd2bd9c
        SYSLOG_IDENTIFIER=statehub

        """)
    let lines = JournalEntry(level: .error, id: .cannotServe, message: "a\nb")
    let length: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0]
    #expect(lines.bytes.starts(with: Array("MESSAGE\n".utf8) + length + Array("a\nb\n".utf8)))
  }

  @Test("what clients cause is one line, and no line commands a terminal")
  func visible() {
    let forged = "request 2 is refused: x\nstatehub: stopped\u{1B}[2J\u{202E}"
    #expect(
      Log.visible(forged, isOneLine: true) == "request 2 is refused: x\\nstatehub: stopped\\u001b[2J\\u202e")
    #expect(Log.visible("one\n\ttwo\u{1B}c", isOneLine: false) == "one\n\\ttwo\\u001bc")
    #expect(Log.visible("plain, and Grüße", isOneLine: true) == "plain, and Grüße")
  }

  @Test("the catalogue explains every message, and no other")
  func catalogue() throws {
    let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let catalogue = root.appending(path: "systemd/catalog/statehub.catalog")
    let text = try String(contentsOf: catalogue, encoding: .utf8)
    let explained = text.split(separator: "\n").filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
    #expect(explained.sorted() == MessageID.allCases.map(\.rawValue).sorted())
    for id in explained { #expect(id.wholeMatch(of: /[0-9a-f]{32}/) != nil) }
  }
}
