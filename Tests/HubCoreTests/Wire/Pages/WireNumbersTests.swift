// The numbers of the wire in other languages: the clients in C and Python, the benchmarks and the conformance program have them
// from the code.

import FoundationEssentials
import HubCore
import TestSupport
import Testing

/// `STATEHUB_WRITE_PAGES=1 swift test --filter WireNumbersTests` writes them, one part after the other: some files have two.
@Suite("The numbers of the wire in other languages", .serialized)
struct WireNumbersTests {
  /// What a file has between a line that says so and one that ends it.
  struct Part: Sendable, CustomTestStringConvertible {
    var path: String
    var name: String
    var lines: [String]

    init(_ path: String, _ name: String, _ lines: [String]) {
      (self.path, self.name, self.lines) = (path, name, lines)
    }

    var testDescription: String { "\(path): \(name)" }
  }

  private static let kinds = Frame.Kind.allCases.sorted { $0.rawValue < $1.rawValue }
  private static let codes = HubError.Code.allCases

  static let parts = [
    Part("Clients/c/statehub.h", "codes", packed(codes.map { "STATEHUB_\(capitals($0)) = \($0.rawValue)" })),
    Part("Clients/c/statehub.c", "words", packed(codes.map { "{\($0.rawValue), \"\($0)\"}" }, indent: 6)),
    Part(
      "Clients/c/statehub.c", "kinds", ["enum {"] + packed(kinds.map { "FRAME_\(numbered($0))" }) + ["};"]),
    Part("Clients/python/src/statehub/errors.py", "codes", codes.map { "    \($0) = \($0.rawValue)" }),
    Part("Clients/python/src/statehub/kinds.py", "kinds", kinds.map(numbered)),
    Part("Tools/wire/frames.h", "kinds", ["enum kind {"] + packed(kinds.map(numbered)) + ["};"]),
    Part("Tools/wire/frames.h", "hello", ["static const uint8_t hello[] = {"] + packed(hello) + ["};"]),
    Part(
      "Tools/conformance/wire.py", "requests",
      packed(
        kinds.filter { !$0.isEvent && !$0.isReply }.map { "\(hex($0.rawValue)): \"\($0)\"" }, indent: 4)),
  ]

  private static var hello: [String] {
    var frame = OutputBuffer()
    Request.hello(name: "bench").encode(into: &frame, id: 1)
    return frame.array.map(hex)
  }

  private static func numbered(_ kind: Frame.Kind) -> String { "\(capitals(kind)) = \(hex(kind.rawValue))" }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
  }

  /// `noSuchStore` as `NO_SUCH_STORE`.
  private static func capitals(_ name: some Any) -> String {
    "\(name)".map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
  }

  /// As many in a line as fit.
  private static func packed(_ items: [String], indent: Int = 2) -> [String] {
    var lines: [String] = []
    for item in items.map({ "\($0)," }) {
      if let last = lines.last, last.count + 1 + item.count <= 118 {
        lines[lines.count - 1] += " " + item
      } else {
        lines.append(String(repeating: " ", count: indent) + item)
      }
    }
    return lines
  }

  @Test("are the code's", arguments: parts)
  func part(_ part: Part) throws {
    let path = "\(checkout)/\(part.path)"
    let lines = readFile(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.firstIndex { $0.contains("made from Sources/HubCore: \(part.name)") })
    let end = try #require(lines[start...].firstIndex { $0.contains("end of what is made") })
    if ProcessInfo.processInfo.environment["STATEHUB_WRITE_PAGES"] != nil {
      let text = (lines[...start] + part.lines + lines[end...]).joined(separator: "\n")
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      #expect(Array(lines[(start + 1)..<end]) == part.lines, "STATEHUB_WRITE_PAGES=1 writes them")
    }
  }
}
