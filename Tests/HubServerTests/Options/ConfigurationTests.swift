// Owns what a correct configuration file means.

import HubCore
import HubEngine
import HubSystem
import Testing

@testable import HubServer

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
      { socket: "/run/test.sock", requireDeclaration: true, logLevel: 'debug', changeLogBytes: 65536, maxFrameBytes: 70000,
        maxClients: 1, maxStores: 3, durability: "synced", stateDirectory: "/var/lib/test",
        snapshotThresholdBytes: 65536, handshakeTimeoutMilliseconds: 100, stores: {}, }
      """)
    var expected = standard
    expected.socketPath = "/run/test.sock"
    expected.engine.requiresDeclaration = true
    expected.logLevel = .debug
    expected.engine.changeLogBytes = 65_536
    expected.engine.maximumFrameLength = 70_000
    expected.maxClients = 1
    expected.engine.maximumStores = 3
    expected.engine.defaultDurability = .synced
    expected.stateDirectory = "/var/lib/test"
    expected.snapshotThresholdBytes = 65_536
    expected.handshakeTimeoutMilliseconds = 100
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

/// Access rules in a configuration.
struct AccessConfigurationTests {
  @Test("the default access and rules are read, with the numbers of the users and groups that they name")
  func rules() throws {
    let configuration = try read(
      """
      { defaultAccess: "members", access: [
        { match: "audio.**", read: "anyone", write: ["owner", "user:root"], create: "group:29" },
        { match: "audio.secret", read: [], remove: "hub", define: "members" },
      ] }
      """)
    #expect(configuration.access.defaultAccess == .members)
    #expect(configuration.notes.isEmpty)
    let rules = configuration.access.rules
    #expect(rules.map(\.pattern.text) == ["audio.**", "audio.secret"])
    #expect(rules.map(\.origin) == ["access[0]", "access[1]"])
    #expect(
      rules[0].grants == [
        AccessGrant(.anyone, .read), AccessGrant(.owner, .write), AccessGrant(.user(0, name: "root"), .write),
        AccessGrant(.group(29, name: "29"), .create),
      ])
    #expect(rules[1].grants == [AccessGrant(.hub, .remove), AccessGrant(.members, .define)])
  }

  @Test(
    "readers and writers of a store are a rule of its name; what is left out is as it would be without them")
  func shortForm() throws {
    let configuration = try read(
      """
      { access: [{ match: "a.**", read: "anyone", write: "owner", create: "anyone" }], stores: {
        "a.b": { type: "integer", writers: ["user:7", "group:8"] },
        "c": { type: "integer", readers: "hub" },
        "d": { type: "integer" },
      } }
      """)
    let rules = configuration.allAccess.rules
    #expect(rules.map(\.origin) == ["access[0]", "stores.\"a.b\"", "stores.\"c\""])
    #expect(
      rules[1].grants == [
        AccessGrant(.anyone, [.read, .create]), AccessGrant(.user(7, name: "7"), .write),
        AccessGrant(.group(8, name: "8"), .write), AccessGrant(.owner, []),
      ])
    #expect(
      rules[2].grants == [
        AccessGrant(.hub, .read), AccessGrant(.anyone, [.write, .create, .remove, .define]),
      ])
  }

  @Test("a rule that can never match is noted with its position and the reason")
  func notes() throws {
    let configuration = try read(
      "{ access: [\n{ match: '**' }, { match: '*.**' },\n{ match: 'statehub.*' }, { match: 'a' }] }")
    #expect(
      configuration.notes == [
        "hub.json5:3:1: access[2]: statehub.* can never match: the names under statehub. are reserved for the hub",
        "hub.json5:2:1: access[0]: ** can never match: access[1] is for *.**, which is more specific and matches all of its names",
      ])
  }

  @Test("a rule that names a removed user or group gives it nothing, and that is noted")
  func missingAccounts() throws {
    let configuration = try read(
      """
      { access: [{ match: 'a', read: ['user:gone-by-now', 'user:0'], write: 'group:gone-by-now' }],
        stores: { b: { type: 'data', readers: 'user:gone-by-now' } } }
      """)
    #expect(configuration.access.rules.first?.grants == [AccessGrant(.user(0, name: "0"), .read)])
    #expect(configuration.declarations.first?.readers == [])
    #expect(
      configuration.notes == [
        "hub.json5:1:33: access[0].read[0]: this machine has no user \"gone-by-now\", so this has no effect",
        "hub.json5:1:71: access[0].write: this machine has no group \"gone-by-now\", so this has no effect",
        "hub.json5:2:41: stores.b.readers: this machine has no user \"gone-by-now\", so this has no effect",
      ])
  }

  @Test(
    "a size may have a unit",
    arguments: [
      ("65536", 65_536), ("'64K'", 65_536), ("'64 KiB'", 65_536), ("'3M'", 3 << 20), ("'2 GiB'", 2 << 30),
    ])
  func sizes(text: String, bytes: Int) throws {
    #expect(try read("{ changeLogBytes: \(text) }").engine.changeLogBytes == bytes)
  }

  @Test("a name service that does not answer is an error, and says so")
  func silentNameService() throws {
    let silent = AccountNames(
      user: { (_) throws(SystemError) in throw SystemError(5) },
      group: { (_) throws(SystemError) in throw SystemError(5) })
    var options = standard
    let text = Array("{ access: [{ match: 'a', read: 'user:alice' }] }".utf8)
    let error = #expect(throws: ConfigurationError.self) {
      try options.configure(parsing: text.span, file: "hub.json5", accounts: silent)
    }
    #expect(
      error?.description
        == "hub.json5:1:32: access[0].read: user \"alice\" cannot be looked up: Input/output error")
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
