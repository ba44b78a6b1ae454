// The journal's entries as bytes, and that the catalogue explains each message that the hub can log, and no other.

import Glibc
import HubCore
import HubSystem
import TestSupport
import Testing

@testable import HubEngine
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
    let text = readFile("\(checkout)/systemd/catalog/statehub.catalog")
    let explained = text.split(separator: "\n").filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
    #expect(explained.sorted() == MessageID.allCases.map(\.rawValue).sorted())
    for id in explained { #expect(id.wholeMatch(of: /[0-9a-f]{32}/) != nil) }
  }

  @Test(
    "lines that are not read are kept up to a limit, then dropped, and their number is logged once there is a reader"
  )
  func unread() throws {
    let pipe = try Pipe()
    let writer = LogWriter(pipe.writingEnd, isJournal: false)
    writer.begin()
    let count = 4 * LogWriter.limit / 1000
    for number in 0..<count {
      writer.append(LogLine(level: .info, message: "\(number) " + String(repeating: "x", count: 1000)))
    }
    var text = ""
    while !text.contains("log lines were lost") || text.last != "\n" {
      text += String(decoding: Descriptor.readOnce(pipe.reading.raw, limit: 65_536), as: UTF8.self)
    }
    let lines = text.split(separator: "\n")
    let kept = lines.dropLast().map { String($0.split(separator: " ")[1]) }
    #expect(kept == (0..<kept.count).map { "\($0)" }, "the first lines, in order")
    #expect(kept.count >= LogWriter.limit / 1100 && kept.count < count)
    #expect(
      lines.last
        == "statehub: \(count - kept.count) log lines were lost: they were not read in time, or could not be written"
    )
    #expect(writer.flush(milliseconds: 60_000) == 0)
  }

  @Test("a line that is longer than the limit is written if nothing waits")
  func long() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("", to: "log")
    let log = try Descriptor(opening: path, .readAndWrite)
    let writer = LogWriter(log.raw, isJournal: false)
    let message = String(repeating: "x", count: 2 * LogWriter.limit)
    writer.append(LogLine(level: .info, message: message))
    #expect(writer.flush(milliseconds: 60_000) == 0)
    #expect(try File.contents(of: path, limit: 1 << 20) == Array("statehub: \(message)\n".utf8))
  }

  @Test("a line that cannot be written is counted, and logged when the next one can be")
  func unwritten() throws {
    let pipe = try Pipe()
    Descriptor.setNonblocking(pipe.reading.raw)
    let directory = try TemporaryDirectory()
    let (log, writing) = (try Descriptor(opening: directory.write("", to: "log")).release(), pipe.writingEnd)
    defer { close(log) }
    // Open for reading alone, it takes no line.
    let writer = LogWriter(log, isJournal: false, lost: 5)
    writer.append(LogLine(level: .info, message: "lost"))
    #expect(writer.flush(milliseconds: 60_000) == 6)
    try #require(dup2(writing, log) == log)
    writer.append(LogLine(level: .info, message: "read"))
    #expect(writer.flush(milliseconds: 60_000) == 0)
    let text = String(decoding: Descriptor.readOnce(pipe.reading.raw, limit: 4096), as: UTF8.self)
    #expect(
      text == """
        statehub: read
        statehub: 6 log lines were lost: they were not read in time, or could not be written

        """)
  }
}

@Suite("A log that is not read", .blocking)
struct UnreadLogTests {
  /// A hub whose standard error is a pipe that is full from the start.
  private func hub(
    _ directory: TemporaryDirectory, _ pipe: borrowing Pipe, environment: [String: String?] = [:]
  ) throws -> ChildProcess {
    let writing = pipe.writingEnd
    var room = Poll.wait(for: .writing, on: writing, milliseconds: 0)
    let page = [UInt8](repeating: UInt8(ascii: "."), count: 4096)
    while room {
      // It has room for a page, so this does not wait.
      _ = page.withUnsafeBytes { Descriptor.write($0, to: writing) }
      room = Poll.wait(for: .writing, on: writing, milliseconds: 0)
    }
    let empty = try directory.write("{}", to: "hub.json5")
    return try ChildProcess(
      "/bin/sh",
      [
        "-c", "exec \"$0\" \"$@\" 2>&3 3>&-", ChildProcess.built("statehub"), "--socket",
        directory.file("hub.sock"),
        "--volatile", "--log-level", "debug", "--config", empty,
      ], environment: environment, descriptors: [writing], directory: directory)
  }

  @Test("stops no client, no reload and no end, and says what is lost once it is read")
  func pipe() throws {
    let directory = try TemporaryDirectory()
    let pipe = try Pipe()
    let hub = try hub(directory, pipe)
    var socket: Int32?
    while socket == nil {
      socket = RawClient.connectedSocket(to: directory.file("hub.sock"))
      if let exit = hub.poll(milliseconds: 1) { throw TestFailure("the hub ended: \(exit)") }
    }
    let client = RawClient(connected: socket!)
    try client.hello(name: "reader")
    // Each of these is a line.
    for _ in 0..<10_000 { _ = try client.call(.get("absent")) }
    hub.signal(SIGUSR2)
    guard case .reloaded = try client.call(.reload) else { throw TestFailure("not reloaded") }
    _ = try client.call(.get("absent"))
    var text = ""
    while !text.contains("log lines were lost") || text.last != "\n" {
      text += String(decoding: Descriptor.readOnce(pipe.reading.raw, limit: 65_536), as: UTF8.self)
    }
    #expect(text.contains("statehub: version "), "the new program's lines")
    hub.signal(SIGTERM)
    #expect(try hub.wait() == .status(0))
  }
}
