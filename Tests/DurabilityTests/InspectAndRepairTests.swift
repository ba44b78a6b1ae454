// `statehub inspect` and `statehub repair` on the directories of real hubs.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statehub inspect and repair", .blocking)
struct InspectAndRepairTests {
  @Test("a directory in use is shown with its frames and stores, and neither it nor the hub is disturbed")
  func inUse() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    try hub.set("audio.volume", .integer(40))
    try hub.set("audio.volume", .integer(45))
    try hub.set("greeting", .string("Hello\n\u{1B}[31m"))
    let before = place.files()
    let shown = try place.run("statehub", "inspect", place.state)
    #expect(shown.status == 0 && shown.errors.isEmpty)
    #expect(shown.output.contains("created   revision 1 "))
    #expect(shown.output.contains(" audio.volume version 2 = 45\n"))
    // Nothing that a terminal might obey.
    #expect(shown.output.contains("= \"Hello\\n\\u001b[31m\"\n") && !shown.output.contains("\u{1B}"))
    #expect(shown.output.contains("stores:    2\n"))
    #expect(shown.output.contains("end:       open"))
    #expect(shown.output.contains("\nlock: process \(hub.pid) uses the directory\n"))
    #expect(place.files() == before)
    try hub.set("audio.volume", .integer(50))
    #expect(try hub.terminate() == .status(0))
    let ended = try place.run("statehub", "inspect", place.state).output
    #expect(ended.contains("stopped cleanly"))
    #expect(ended.contains("\nlock: no process uses the directory\n"))
  }

  @Test("--summary prints only what a start would make of the directory, as text and as JSON")
  func summary() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    for index in 0..<20 { try hub.set("s.\(index)", .integer(1)) }
    let shown = try place.run("statehub", "inspect", "--summary", place.state)
    #expect(shown.status == 0 && shown.output.hasPrefix("stores:    20\n"), "\(shown.output)")
    #expect(!shown.output.contains("journal-") && shown.errors.isEmpty)
    let json = try place.run("statehub", "inspect", "--summary", "--json", place.state)
    #expect(json.output.hasPrefix("{\"kind\":\"summary\",\"state\":\"open\",\"stores\":20,"))
    #expect(json.output.split(separator: "\n").count == 1)
    let files = try place.run("statehub", "inspect", "--json", place.state).output
    #expect(files.contains("\"kind\":\"lock\",\"pid\":\(hub.pid),"), "\(files)")
    #expect(try hub.terminate() == .status(0))
    let journal = try #require(place.files().last { $0.hasPrefix("journal-") })
    try place.damage(journal, at: 9000)
    let damaged = try place.run("statehub", "inspect", "--summary", place.state)
    #expect(damaged.status == 1 && damaged.output.hasPrefix("\(journal) is damaged at offset"))
  }

  @Test(
    "whichever bit of a header is wrong, inspect shows the records, and repair saves every store",
    arguments: [
      0, 8, 10, 16, 24, 32, 40, 60,
    ])
  func headers(offset: Int) throws {
    let place = try DurablePlace()
    let hub = try place.start()
    for index in 0..<50 { try hub.set("s.\(index)", .integer(Int64(index))) }
    #expect(try hub.terminate() == .status(0))
    let journal = try #require(place.files().last { $0.hasPrefix("journal-") })
    try place.damage(journal, at: offset)
    let shown = try place.run("statehub", "inspect", place.state)
    #expect(
      shown.status == 1 && shown.output.contains("with a broken header") && shown.output.contains("s.49"))
    let repaired = try place.run("statehub", "repair", place.state)
    #expect(
      repaired.status == 0 && repaired.output.contains("Salvaged: 50 stores. Lost:\n  nothing"),
      "\(repaired.output)\(repaired.errors)")
    #expect(try place.start().value("s.49") == .integer(49))
  }

  @Test("--json gives an object in each line, every value exact, and the summary as the last")
  func json() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    try hub.set("i", .integer(.min))
    try hub.set("j", .json(" {\"a\":1 }"))
    try hub.set("d", .data([0, 255]))
    #expect(try hub.terminate() == .status(0))
    let shown = try place.run("statehub", "inspect", "--json", place.state)
    let lines = shown.output.split(separator: "\n")
    for line in lines { #expect(throws: Never.self) { try JSON.validate(Array(line.utf8).span) } }
    #expect(
      lines.contains {
        $0.contains("\"name\":\"i\"") && $0.contains("\"type\":\"integer\",\"value\":-9223372036854775808")
      })
    #expect(lines.contains { $0.contains("\"type\":\"json\",\"value\":\" {\\\"a\\\":1 }\"") })
    #expect(lines.contains { $0.contains("\"type\":\"data\",\"value\":\"AP8=\"") })
    #expect(lines.last?.hasPrefix("{\"kind\":\"summary\",\"state\":\"ended\",\"stores\":3,") == true)
  }

  @Test(
    "damage is told with file and offset by inspect; repair saves the rest, keeps the originals, and begins an epoch"
  )
  func repair() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    for index in 0..<50 { try hub.set("s.\(index)", .integer(Int64(index))) }
    let epoch = try hub.connect().welcome?.epoch
    #expect(try hub.terminate() == .status(0))
    let journal = try #require(place.files().last { $0.hasPrefix("journal-") })
    try place.damage(journal, at: 9600)
    let original = try #require(bytes("\(place.state)/\(journal)"))
    let shown = try place.run("statehub", "inspect", place.state)
    #expect(shown.status == 1 && shown.output.contains("\(journal) is damaged at offset"))
    #expect(shown.output.contains("bytes without a complete record"))
    #expect(
      try place.run("statehub", "inspect", "--json", place.state).output.contains("\"state\":\"damaged\""))

    let repaired = try place.run("statehub", "repair", place.state)
    #expect(
      repaired.status == 0 && repaired.output.contains("Salvaged: 49 stores."),
      "\(repaired.output)\(repaired.errors)")
    #expect(repaired.output.contains("before-repair-1"))
    #expect(bytes("\(place.state)/before-repair-1/\(journal)") == original)
    let next = try place.start()
    let client = try next.connect()
    #expect(client.welcome?.epoch != epoch)
    guard case .listed(let stores, _) = try client.call(.list(.everything)) else {
      throw TestFailure("no list")
    }
    #expect(stores.count == 49)
    for store in stores { #expect(store.value == .integer(Int64(store.name.dropFirst(2))!)) }
    // It goes on as any other: writing, killing, starting.
    try next.set("s.0", .integer(1000))
    next.kill()
    #expect(try place.start().value("s.0") == .integer(1000))
  }

  @Test("repair does nothing to a directory that is in order, in use, or missing")
  func nothingToRepair() throws {
    let place = try DurablePlace()
    #expect(try place.run("statehub", "repair", place.state).status == 1)
    #expect(place.files().isEmpty)
    let hub = try place.start()
    try hub.set("a", .integer(1))
    let busy = try place.run("statehub", "repair", place.state)
    #expect(busy.status == 1 && busy.errors.contains("process \(hub.pid) uses it"))
    hub.kill()
    let files = place.files()
    let fine = try place.run("statehub", "repair", place.state)
    #expect(fine.status == 0 && fine.output.hasPrefix("Nothing is damaged"))
    #expect(place.files() == files)
  }

  @Test("a directory of a newer hub is named as such, and not repaired")
  func newer() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    try hub.set("a", .integer(1))
    #expect(try hub.terminate() == .status(0))
    let journal = try #require(place.files().last { $0.hasPrefix("journal-") })
    var content = try #require(bytes("\(place.state)/\(journal)"))
    content[8] = 9
    let checksum = crc32c(content[..<60])
    for index in 0..<4 { content[60 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
    try write(content, "\(place.state)/\(journal)")
    for verb in ["inspect", "repair"] {
      let result = try place.run("statehub", verb, place.state)
      #expect(
        result.status == 1 && (result.output + result.errors).contains("start the newer hub"),
        "\(verb): \(result)")
    }
    #expect(bytes("\(place.state)/\(journal)") == content)
  }

  @Test(
    "what is wrong with the words is said with status 2",
    arguments: [["inspect"], ["inspect", "a", "b"], ["repair"], ["repair", "--json", "x"]])
  func usage(_ words: [String]) throws {
    let directory = try TemporaryDirectory()
    let process = try ChildProcess(ChildProcess.built("statehub"), words, directory: directory)
    #expect(try process.wait() == .status(2))
    #expect(process.standardError.hasPrefix("statehub: usage: statehub \(words[0])"))
    let help = try ChildProcess(ChildProcess.built("statehub"), [words[0], "--help"], directory: directory)
    #expect(try help.wait() == .status(0))
    #expect(help.standardOutput.hasPrefix("usage: statehub \(words[0])"))
  }

  // MARK: Files

  private func bytes(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    var content = [UInt8](repeating: 0, count: Int(status.st_size))
    return pread(file, &content, content.count, 0) == content.count ? content : nil
  }

  private func write(_ content: [UInt8], _ path: String) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    guard pwrite(file, content, content.count, 0) == content.count else {
      throw TestFailure("cannot write \(path)")
    }
  }

  private func crc32c(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var state: UInt32 = .max
    for byte in bytes {
      state ^= UInt32(byte)
      for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0x82F6_3B78 : state >> 1 }
    }
    return ~state
  }
}
