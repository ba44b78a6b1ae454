// Owns the errors for a wrong configuration file: every mistake, its position, and what is allowed.

import HubCore
import HubEngine
import HubServer
import Testing

struct ConfigurationErrorTests {
  @Test(
    "a mistake is reported with file, line, column, keys and what is allowed",
    arguments: [
      ("[]", "1:1: expected an object, found an array"),
      ("", "1:1: the text ends here, expected a value"),
      ("{requireDeclaration: true\nlogLevel: 1}", "2:1: unexpected 'l', expected ',' or '}'"),
      ("{logLevel: info}", "1:12: unknown word 'info', expected a value (text needs quotes)"),
      ("{requireDeclaration: 1}", "1:22: requireDeclaration: expected true or false, found 1"),
      (
        "{requireDeclaration: 'true'}",
        "1:22: requireDeclaration: expected true or false, found the string \"true\""
      ),
      ("{maxClients: 0}", "1:14: maxClients: expected an integer from 1 to 1048576, found 0"),
      ("{maxClients: 1.5}", "1:14: maxClients: expected an integer from 1 to 1048576, found 1.5"),
      (
        "{maxClients: 99999999999999999999}",
        "1:14: maxClients: expected an integer from 1 to 1048576, found 99999999999999999999"
      ),
      ("{maxClients: null}", "1:14: maxClients: expected an integer from 1 to 1048576, found null"),
      ("{durability: true}", "1:14: durability: expected \"volatile\", \"relaxed\", \"synced\", found true"),
      (
        "{durability: 'sinced'}",
        "1:14: durability: \"sinced\" is unknown (did you mean synced?); allowed: volatile, relaxed, synced"
      ),
      (
        "{logLevel: 'fatal'}",
        "1:12: logLevel: \"fatal\" is unknown; allowed: error, warning, info, debug"
      ),
      (
        "{socket: 'hub.sock'}",
        "1:10: socket: \"hub.sock\" is a relative path: give an absolute one, which begins with /"
      ),
      ("{stores: []}", "1:10: stores: expected an object, found an array"),
      ("{stores: {a: 5}}", "1:14: stores.a: expected an object, found 5"),
      (
        "{stores: {'a..b': {type: 'data'}}}",
        "1:11: stores.\"a..b\": a name cannot have an empty component: check the dots"
      ),
      (
        "{stores: {'statehub.x': {type: 'data'}}}",
        "1:11: stores.\"statehub.x\": names under statehub. are reserved for the hub"
      ),
      (
        "{providers: {a: {stores: 'x.**'}, b: {stores: ['y', '*.z']}}}",
        "1:38: providers.b: it shares stores with providers.a: each store can have only one provider"
      ),
      (
        "{providers: {a: {}}}",
        "1:17: providers.a: stores is missing: a name, a pattern such as display.**, or a list of them"
      ),
      (
        "{providers: {a: {stores: 'statehub.x'}}}",
        "1:26: providers.a.stores: names under statehub. are reserved for the hub"
      ),
      (
        "{providers: {a: {stores: 'x', users: 'anyone'}}}",
        "1:38: providers.a.users: anyone is not a user: name a provider as user:NAME"
      ),
      (
        "{stores: {a: {}}}",
        "1:11: stores.a: type is missing: it is one of integer, double, boolean, string, data, json"
      ),
      (
        "{stores: {a: {type: 'int'}}}",
        "1:21: stores.a.type: \"int\" is unknown; allowed: integer, double, boolean, string, data, json"
      ),
      (
        "{stores: {a: {readers: ['root'], type: 'data'}}}",
        "1:25: stores.a.readers[0]: \"root\" is not a user, group or program; allowed: anyone, owner, hub, members, user:NAME, group:NAME, unit:NAME, user-unit:NAME, app:ID"
      ),
      (
        "{stores: {a: {writers: 5, type: 'data'}}}",
        "1:24: stores.a.writers: expected a string or an array of strings, found 5"
      ),
      (
        "{defaultAccess: 'shut'}",
        "1:17: defaultAccess: \"shut\" is unknown; allowed: open, members, closed"
      ),
      ("{access: {}}", "1:10: access: expected an array, found an object"),
      (
        "{access: [{read: 'anyone'}]}",
        "1:11: access[0]: match is missing: a name, or a pattern such as audio.**"
      ),
      (
        "{access: [{match: 'a.b*'}]}",
        "1:19: access[0].match: * and ** stand for whole components, as in audio.* or **.level"
      ),
      (
        "{access: [{match: 'a', reads: 'anyone'}]}",
        "1:24: access[0].reads: unknown key (did you mean read?); allowed: match, read, write, create, remove, define, provide"
      ),
      (
        "{access: [{match: 'a', read: 'user:65534'}]}",
        "1:30: access[0].read: 65534 is the kernel's number for unknown users and groups: no rule can name it"
      ),
      (
        "{access: [{match: 'a', read: 'unit:cups'}]}",
        "1:30: access[0].read: \"unit:cups\" is not a complete unit name: include its suffix, such as unit:cups.service"
      ),
      (
        "{access: [{match: 'a', read: 'unit:'}]}",
        "1:30: access[0].read: \"unit:\" is not a complete unit name: include its suffix, such as unit:backup.service"
      ),
      (
        "{access: [{match: 'a', read: 'user-unit:backup.timer'}]}",
        "1:30: access[0].read: \"user-unit:backup.timer\" is not a .service or .scope, and only these have processes: name the unit that runs the program, such as user-unit:backup.service"
      ),
      (
        "{access: [{match: 'a', read: 'unit:0/cups.service'}]}",
        "1:30: access[0].read: \"unit:0/cups.service\" is not a unit name: use letters, digits and :._-@\\, at most 255 of them"
      ),
      (
        "{access: [{match: 'a', read: 'app:'}]}",
        "1:30: access[0].read: \"app:\" is not an app: give a Flatpak app's ID, such as app:org.gnome.Maps, or a snap's name"
      ),
      (
        "{access: [{match: 'a', read: 'app:0/a b'}]}",
        "1:30: access[0].read: \"app:a b\" is not an app: give a Flatpak app's ID, such as app:org.gnome.Maps, or a snap's name"
      ),
      (
        "{access: [{match: 'a', read: 'user-unit:65534/a.service'}]}",
        "1:30: access[0].read: 65534 is the kernel's number for unknown users and groups: no rule can name it"
      ),
      (
        "{access: [{match: 'a', read: 'user:4294967295'}]}",
        "1:30: access[0].read: 4294967295 is not a valid user number"
      ),
      (
        "{access: [{match: 'a.**'}, {match: 'a.**.**'}]}",
        "1:28: access[1]: a.**.** matches the same names as access[0]: combine the two rules"
      ),
      (
        "{access: [{match: 'a', read: 'anyone'}], stores: {a: {type: 'data', readers: 'hub'}}}",
        "1:11: access[0]: the store is declared with its own readers or writers: put the rule in one place"
      ),
    ])
  func messages(text: String, message: String) {
    let error = #expect(throws: ConfigurationError.self) { try read(text) }
    #expect(error?.description == "hub.json5:" + message)
  }

  private static let storeKeys =
    "type, initial, minimum, maximum, choices, maxBytes, durability, description, readers, writers"

  @Test(
    "a rule that does not go with the type or the other rules is reported where it stands",
    arguments: [
      ("type: 'integer', initial: 1.0", "initial: expected a 64-bit integer, found 1.0"),
      (
        "type: 'integer', minimum: 9223372036854775808",
        "minimum: expected a 64-bit integer, found 9223372036854775808"
      ),
      ("type: 'integer', choices: [1, '2']", "choices[1]: expected an integer, found the string \"2\""),
      ("type: 'integer', choices: 1", "choices: expected an array, found 1"),
      ("type: 'double', initial: 1e400", "initial: expected a number that a double can hold, found 1e400"),
      (
        "type: 'double', maximum: 9007199254740993",
        "maximum: expected a number that a double can hold, found 9007199254740993"
      ),
      ("type: 'boolean', initial: 0", "initial: expected true or false, found 0"),
      ("type: 'string', initial: null", "initial: expected a string, found null"),
      ("type: 'data', initial: [1]", "initial: expected a base64 string, found an array"),
      (
        "type: 'data', initial: 'abc'",
        "initial: expected base64 with its padding: its length is not a multiple of four"
      ),
      ("type: 'string', minimum: 1", "minimum: applies to integer and double, not to string"),
      ("type: 'integer', maxBytes: 1", "maxBytes: applies to string, data and json, not to integer"),
      (
        "type: 'data', min: 1",
        "min: unknown key (did you mean minimum?); allowed: \(ConfigurationErrorTests.storeKeys)"
      ),
      (
        "type: 'data', max: 1",
        "max: unknown key (did you mean maximum?); allowed: \(ConfigurationErrorTests.storeKeys)"
      ),
      (
        "type: 'data', default: 1",
        "default: unknown key (did you mean initial?); allowed: \(ConfigurationErrorTests.storeKeys)"
      ),
      (
        "type: 'data', maxBytes: '2 GiB'",
        "maxBytes: expected bytes from 1 to 1073741824, as a number or with a unit such as \"64 MiB\", found the string \"2 GiB\""
      ),
      ("type: 'data', maxBytes: 0", "maxBytes: expected an integer from 1 to 1073741824, found 0"),
      ("type: 'integer', minimum: 2, maximum: 1, choices: [3]", "maximum: minimum 2 is above maximum 1"),
      ("type: 'integer', maximum: 1, minimum: 2", "minimum: minimum 2 is above maximum 1"),
      ("type: 'integer', choices: [1, 11], maximum: 10", "choices[1]: 11 is above the maximum, 10"),
      ("type: 'string', choices: ['a', 'bcd'], maxBytes: 2", "choices[1]: 3 bytes are more than maxBytes, 2"),
      ("type: 'integer', initial: 11, maximum: 10", "initial: 11 is above the maximum, 10"),
      ("type: 'string', initial: 'c', choices: ['a', 'b']", "initial: c is not one of a, b"),
      (
        "type: 'integer', durability: 'none'",
        "durability: \"none\" is unknown; allowed: volatile, relaxed, synced"
      ),
      ("type: 'integer', description: 5", "description: expected a string, found 5"),
    ])
  func rules(rules: String, message: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try read("{stores: {s: {\(rules)}}}") }
    #expect(error.problems.map { ($0.path ?? "") + ": " + $0.message } == ["stores.s." + message])
    let key = message.prefix { $0.isLetter }
    #expect(try #require(error.problems.first).position.column >= position(of: "\(key):", in: rules))
  }

  /// The column of `key` in a file that starts with the declaration of one store.
  private func position(of key: String, in rules: String) throws -> Int {
    let range = try #require(rules.utf8.firstRange(of: key.utf8))
    return "{stores: {s: {".count + rules.utf8.distance(from: rules.startIndex, to: range.lowerBound) + 1
  }

  @Test("rules that leave no initial value, or are too long, are reported at the store")
  func stores() {
    let none = #expect(throws: ConfigurationError.self) {
      try read("{stores: {s: {type: 'json', maxBytes: 3}}}")
    }
    #expect(none?.description.hasPrefix("hub.json5:1:11: stores.s: give an initial value") == true)
    for choices in [5_000, 70_000] {
      let list = (0..<choices).map(String.init).joined(separator: ",")
      let long = #expect(throws: ConfigurationError.self) {
        try read("{stores: {s: {type: 'integer', choices: [\(list)]}}}")
      }
      #expect(
        long?.description == "hub.json5:1:11: stores.s: the schema takes more than 32768 bytes: shorten it")
    }
  }

  @Test("all mistakes are reported at once, in the order of the file")
  func all() {
    let error = #expect(throws: ConfigurationError.self) {
      try read(
        """
        {
          logLvel: "info",
          requireDeclaration: 'yes',
          stores: {
            "audio.volume": { type: "integer", maxmum: 10, initial: "loud" },
            mute: { typ: "boolean" },
            mute: { type: "boolean" },
            "bad name": { type: "integer", minimum: 5, maximum: 1 },
            fine: { type: "integer" },
          },
          maxStores: -1,
          requireDeclaration: false,
        }
        """)
    }
    let places = error?.problems.map {
      "\($0.position.line):\($0.position.column) \($0.path ?? "-") \($0.message.prefix(27))"
    }
    #expect(
      places == [
        "2:3 logLvel unknown key (did you mean l",
        "3:23 requireDeclaration expected true or false, fou",
        "5:40 stores.\"audio.volume\".maxmum unknown key (did you mean m",
        "5:61 stores.\"audio.volume\".initial expected an integer, found ",
        "6:5 stores.mute type is missing: it is one ",
        "6:13 stores.mute.typ unknown key (did you mean t",
        "7:5 - key \"mute\" appears twice, f",
        "8:5 stores.\"bad name\" a name can contain only A-Z",
        "8:57 stores.\"bad name\".maximum minimum 5 is above maximum ",
        "11:14 maxStores expected an integer from 1 ",
        "12:3 - key \"requireDeclaration\" ap",
      ])
    #expect(error?.description.split(separator: "\n").count == 11)
  }

  @Test("more declared stores than maxStores allows are a mistake")
  func tooManyStores() {
    let error = #expect(throws: ConfigurationError.self) {
      try read("{maxStores: 1, stores: {a: {type: 'json'}, b: {type: 'json'}}}")
    }
    #expect(error?.description == "hub.json5:1:16: stores: 2 stores are declared, but maxStores allows 1")
  }

  @Test("keys that hold control characters are shown escaped, on one line")
  func control() {
    let error = #expect(throws: ConfigurationError.self) { try read(#"{"a\n\u001b[31m": 1}"#) }
    #expect(error?.problems.first?.path == #""a\n\u001b[31m""#)
  }
}
