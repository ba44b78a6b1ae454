// docs/vectors/names.json: names and patterns, valid or not, and which match.

import HubCore
import Testing

enum NameVectors {
  private static let longest = String(repeating: "a.", count: 127) + "b"

  private static let names = [
    "a", "A", "0", "_", "-", "a.b", "a.B.c-d_e.9", "statehub", "statehub.x", "statehubs", "--.__", longest,
  ]

  private static let noNames: [(String, [UInt8])] = [
    ("empty", []), ("a dot", bytes(".")), ("a dot at the front", bytes(".a")),
    ("a dot at the end", bytes("a.")),
    ("an empty component", bytes("a..b")), ("a space", bytes("a b")), ("a slash", bytes("a/b")),
    ("a star", bytes("a.*")), ("a letter that is not ASCII", bytes("\u{FC}")), ("a zero byte", bytes("a\0")),
    ("not UTF-8", [0x61, 0xFF]), ("256 bytes", bytes(longest + "c")),
  ]

  private static let patterns = [
    "a", "*", "**", "a.*", "*.a", "a.**", "**.a", "a.*.b", "a.**.b", "**.**", "*.*", "**.*", "**.a.**",
    longest,
    String(repeating: "*.", count: 127) + "*",
  ]

  private static let noPatterns: [(String, [UInt8])] = [
    ("empty", []), ("a dot", bytes(".")), ("a dot at the end", bytes("*.")),
    ("an empty component", bytes("**..a")),
    ("a star that is no whole component", bytes("a*")), ("three stars", bytes("***")),
    ("a space", bytes("a .b")),
    ("a letter that is not ASCII", bytes("\u{FC}")), ("not UTF-8", [0x2A, 0xFF]),
    ("256 bytes", bytes(longest + "c")),
  ]

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// A pattern, names that match, names that do not.
  private static let matching: [(String, yes: [String], no: [String])] = [
    ("a", ["a"], ["b", "A", "aa", "a.a"]),
    ("audio.volume", ["audio.volume"], ["audio", "audio.volume.left", "audio.volumes", "audio-volume"]),
    ("*", ["a", "audio", "-"], ["a.b", "a.b.c"]),
    ("**", ["a", "a.b", "a.b.c.d.e"], []),
    ("audio.*", ["audio.volume", "audio.x"], ["audio", "audio.left.volume", "audi.o", "radio.volume"]),
    ("audio.**", ["audio", "audio.volume", "audio.left.volume"], ["audios", "audios.volume", "x.audio"]),
    ("*.volume", ["audio.volume", "x.volume"], ["volume", "a.b.volume"]),
    ("**.volume", ["volume", "audio.volume", "a.b.volume"], ["volumes", "a.volume.b", "avolume"]),
    ("a.*.c", ["a.b.c", "a.a.c"], ["a.c", "a.b.b.c", "a.b.d"]),
    ("a.**.c", ["a.c", "a.b.c", "a.b.b.c", "a.c.c"], ["a", "c", "a.b", "a.b.c.d"]),
    ("**.*", ["a", "a.b", "a.b.c"], []),
    ("*.**", ["a", "a.b", "a.b.c"], []),
    ("**.**", ["a", "a.b"], []),
    ("*.*", ["a.b"], ["a", "a.b.c"]),
    ("**.a.**", ["a", "a.a", "x.a", "a.x", "x.y.a.z"], ["b", "x.y", "aa.b"]),
    ("a.**.b.**.c", ["a.b.c", "a.x.b.y.z.c", "a.b.b.c", "a.b.c.b.c"], ["a.b", "a.c", "a.c.b", "a.b.c.d"]),
    ("**.a.*.b", ["a.x.b", "a.a.x.b", "a.x.a.y.b"], ["a.b", "a.x.y.b", "a.x.b.c"]),
    ("**.a.a", ["a.a", "a.a.a", "b.a.a"], ["a", "a.b.a", "a.a.b"]),
  ]

  static var json: JSONValue {
    for text in names { #expect((try? StoreName(text)) != nil, "\(text) is a name") }
    for (about, bytes) in noNames {
      #expect(bytes.withByteView { StoreName.problem(in: $0) } != nil, "\(about) is no name")
    }
    for text in patterns { #expect((try? NamePattern(text)) != nil, "\(text) is a pattern") }
    for (about, bytes) in noPatterns {
      #expect((try? NamePattern(String(decoding: bytes, as: UTF8.self))) == nil, "\(about) is no pattern")
    }
    let matches = matching.flatMap { text, yes, no -> [JSONValue] in
      let pattern = try! NamePattern(text)
      return (yes.map { ($0, true) } + no.map { ($0, false) }).map { name, expected in
        #expect(pattern.matches(try! StoreName(name)) == expected, "\(text) and \(name)")
        return ["pattern": .text(text), "name": .text(name), "matches": .flag(expected)]
      }
    }
    func refused(_ texts: [(String, [UInt8])]) -> JSONValue {
      .list(texts.map { ["about": .text($0.0), "hex": .hex($0.1)] })
    }
    return [
      "names": .list(names.map { .text($0) }), "noNames": refused(noNames),
      "patterns": .list(patterns.map { .text($0) }), "noPatterns": refused(noPatterns),
      "matches": .list(matches),
    ]
  }
}
