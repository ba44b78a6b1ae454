// Owns what a correct configuration file means.

import HubCore
import HubServer
import Testing

struct ConfigurationTests {
  @Test("an empty object is the default configuration")
  func defaults() throws {
    #expect(try read("{}") == standard)
  }

  @Test("every setting is read")
  func settings() throws {
    let configuration = try read(
      """
      // All of them.
      { socket: "/run/test.sock", strict: true, logLevel: 'debug', changeLogBytes: 65536, maxFrameBytes: 70000,
        maxClients: 1, maxStores: 3, durability: "synced", stateDirectory: "/var/lib/test",
        journalBytes: 65536, helloMilliseconds: 100, stores: {}, }
      """)
    var expected = standard
    expected.socketPath = "/run/test.sock"
    expected.engine.strict = true
    expected.logLevel = .debug
    expected.engine.changeLogBytes = 65_536
    expected.engine.maximumFrameLength = 70_000
    expected.maxClients = 1
    expected.engine.maximumStores = 3
    expected.engine.defaultDurability = .synced
    expected.stateDirectory = "/var/lib/test"
    expected.journalBytes = 65_536
    expected.helloMilliseconds = 100
    #expect(configuration == expected)
  }

  @Test("every rule of a store is read, and stores keep the order of the file")
  func rules() throws {
    let configuration = try read(
      """
      { stores: {
        "z.first": { type: "integer", initial: 5, minimum: 0, maximum: 10, choices: [0, 5, 10],
                     durability: "relaxed", description: "One" },
        a: { type: "string", maxBytes: 20 },
      } }
      """)
    #expect(configuration.declarations.map(\.name.text) == ["z.first", "a"])
    #expect(
      configuration.declarations.first?.schema
        == Schema(
          type: .integer, initial: .integer(5), minimum: .integer(0), maximum: .integer(10),
          choices: [.integer(0), .integer(5), .integer(10)], durability: .relaxed, description: "One"))
    #expect(
      configuration.declarations.last?.schema == Schema(type: .string, initial: .string(""), maxBytes: 20))
  }

  @Test(
    "a value is written as its type wants it",
    arguments: [
      ("integer", "-9223372036854775808", .integer(.min)),
      ("double", "5", .double(5)),
      ("double", "-0", .double(-0.0)),
      ("double", "1e-3", .double(0.001)),
      ("boolean", "true", .boolean(true)),
      ("string", "'it\\'s \\u00e9'", .string("it's é")),
      ("data", "\"/wA=\"", .data([0xFF, 0])),
      ("json", "null", .json("null")),
      ("json", "{b: [1.50, 'x',], a: {d: 1, c: 2}}", .json(#"{"a":{"c":2,"d":1},"b":[1.50,"x"]}"#)),
    ] as [(String, String, Value)])
  func values(type: String, text: String, value: Value) throws {
    let configuration = try read("{ stores: { s: { type: '\(type)', initial: \(text) } } }")
    #expect(configuration.declarations.first?.schema.initial == value)
  }

  @Test("keys may come in any order: rules are judged when all are known")
  func order() throws {
    let configuration = try read(
      "{ stores: { s: { initial: 2, choices: [1, 2], maximum: 2, minimum: 1, type: 'double' } } }")
    #expect(
      configuration.declarations.first?.schema
        == Schema(
          type: .double, initial: .double(2), minimum: .double(1), maximum: .double(2),
          choices: [.double(1), .double(2)]))
  }

  @Test("without an initial value a store starts at the first of zero, minimum and first choice that fits")
  func filledIn() throws {
    let configuration = try read(
      """
      { stores: { a: { type: "integer", minimum: 3 }, b: { type: "string", choices: ["x", "y"] },
                  c: { type: "json" } } }
      """)
    #expect(configuration.declarations.map(\.schema.initial) == [.integer(3), .string("x"), .json("null")])
  }
}

/// The options of an unconfigured hub.
let standard = ServerOptions(socketPath: "/run/standard.sock", isSystem: false)

/// The options of a hub configured by `text`, as the file `hub.json5`.
func read(_ text: String) throws(ConfigurationError) -> ServerOptions {
  var options = standard
  try options.configure(parsing: Array(text.utf8).span, file: "hub.json5")
  return options
}
