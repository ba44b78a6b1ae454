// Every verb: its operands, its options and its line of help; what a verb does stands in Commands.

enum Verb: UInt8, Named, CaseIterable, Sendable {
  case get, set, add, toggle, reset
  case watch, wait
  case list, describe, create, remove, txn
  case dump, load
  case ping, clients, stats, reload, help

  var name: String {
    switch self {
    case .get: "get"
    case .set: "set"
    case .add: "add"
    case .toggle: "toggle"
    case .reset: "reset"
    case .watch: "watch"
    case .wait: "wait"
    case .list: "list"
    case .describe: "describe"
    case .create: "create"
    case .remove: "remove"
    case .txn: "txn"
    case .dump: "dump"
    case .load: "load"
    case .ping: "ping"
    case .clients: "clients"
    case .stats: "stats"
    case .reload: "reload"
    case .help: "help"
    }
  }

  /// Whether it can be a line of a transaction.
  var isWrite: Bool {
    switch self {
    case .set, .add, .toggle, .reset, .create, .remove: true
    default: false
    }
  }

  /// The options that it takes besides the global ones.
  var options: Options {
    switch self {
    case .get: Options([.rev, .default])
    case .set: Options([.ifRevision, .ifValue, .ifAbsent, .ttl, .type, .force, .rev])
    case .add: Options([.clamp, .rev])
    case .toggle, .reset: Options([.rev])
    case .watch: Options([.lines, .once, .changesOnly, .every, .markers, .exec, .execFail])
    case .list: Options([.long])
    case .create:
      Options([
        .type, .initial, .minimum, .maximum, .choices, .maxBytes, .durability, .description, .ifAbsent,
      ])
    case .remove: Options([.ifRevision])
    case .txn: Options([.rev])
    case .load: Options([.dryRun, .replace])
    case .wait, .describe, .dump, .ping, .clients, .stats, .reload, .help: Options()
    }
  }

  /// How many operands it takes.
  var operandCount: ClosedRange<Int> {
    switch self {
    case .get, .watch, .describe: 1 ... .max
    case .set: 2...2
    case .add: 1...2
    case .toggle, .reset, .create, .remove: 1...1
    case .wait: 2...3
    case .list, .help: 0...1
    case .dump: 0 ... .max
    case .txn, .load, .ping, .clients, .stats, .reload: 0...0
    }
  }

  var operands: String {
    switch self {
    case .get, .describe: "STORE..."
    case .set: "STORE VALUE"
    case .add: "STORE [DELTA]"
    case .toggle, .reset, .create, .remove: "STORE"
    case .watch: "STORE|GLOB..."
    case .wait: "STORE eq|ne|lt|le|gt|ge|exists|absent|changes [V]"
    case .list: "[GLOB]"
    case .help: "[VERB]"
    case .txn: "< OPERATIONS"
    case .dump: "[STORE|GLOB...] > FILE"
    case .load: "< FILE"
    case .ping, .clients, .stats, .reload: ""
    }
  }

  var summary: String {
    switch self {
    case .get: "print values"
    case .set: "set a value, and create the store if there is none"
    case .add: "add to a number and print the sum"
    case .toggle: "turn true to false or back, and print it"
    case .reset: "go back to the initial value, and print it"
    case .watch: "print the value of now and then every change"
    case .wait: "wait until a condition holds, and print the value"
    case .list: "print the names of stores"
    case .describe: "print all there is to know about stores"
    case .create: "create a store with a schema, or give one a new schema"
    case .remove: "remove a store"
    case .txn: "carry out several writes as one: all or none"
    case .dump: "print all stores at one revision, with their schemas, for load"
    case .load: "make the stores of a dump"
    case .ping: "ask whether the hub is there"
    case .clients: "print who is connected to the hub"
    case .stats: "print the hub's counters"
    case .reload: "have the hub take over its configuration and its program anew"
    case .help: "explain a verb"
    }
  }
}
