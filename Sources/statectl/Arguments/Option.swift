// Every option: its spelling, its argument and its line of help. The verbs say which options they take.

/// An option. The raw value is its bit in `Options`.
enum Option: UInt8, CaseIterable, Sendable {
  // For every verb.
  case socket, user, system, timeout, json, help, version
  // Writing.
  case ifRevision, ifValue, ifAbsent, ttl, type, force, clamp
  // Reading.
  case showRevision, `default`, long
  // Schemas.
  case initial, minimum, maximum, choices, maxBytes, durability, description
  // Loading.
  case dryRun, replace
  // Watching.
  case lines, once, changesOnly, every, markers, exec, execFail
  // Waiting.
  case any, all, stableFor
  // Holding.
  case patience, grace, killAfter, holders, shared
  // Many.
  case yes, interval, format, showPrevious
  // Figures.
  case openMetrics, http
  // Access.
  case asUser, socketName
  // Measuring.
  case requests, connections, pipeline, size, duration, quiet
  // Drawing.
  case window, svg, csv
  // The past.
  case since, at
  // Monitoring.
  case by, verb
  // Providing.
  case name, publish, waitTurn, takeOver, release, ifStale

  static let global = Options([.socket, .user, .system, .timeout, .json, .help, .version])

  /// What a store can be created with: its type, and an option for each row of `SchemaField`.
  static let schema = Options([
    .type, .initial, .minimum, .maximum, .choices, .maxBytes, .durability, .description,
  ])

  /// The option of that long name.
  ///
  /// One by one: an array or a dictionary of all names would make the Swift runtime build a type at every start.
  init?(name: String) {
    var number: UInt8 = 0
    while let known = Option(rawValue: number), known.name != name { number += 1 }
    self.init(rawValue: number)
  }

  /// The option of that letter or digit: one of `options`, else the first of all.
  init?(short: UInt8, of options: Options) {
    var first: Option?
    var number: UInt8 = 0
    while let known = Option(rawValue: number), known.short != short || !options.contains(known) {
      if known.short == short { first = first ?? known }
      number += 1
    }
    guard let option = Option(rawValue: number) ?? first else { return nil }
    self = option
  }

  /// The long name.
  var name: String {
    switch self {
    case .socket: "socket"
    case .user: "user"
    case .system: "system"
    case .timeout: "timeout"
    case .json: "json"
    case .help: "help"
    case .version: "version"
    case .ifRevision: "if-revision"
    case .ifValue: "if-value"
    case .ifAbsent: "if-absent"
    case .ttl: "ttl"
    case .type: "type"
    case .force: "force"
    case .clamp: "clamp"
    case .showRevision: "show-revision"
    case .default: "default"
    case .long: "long"
    case .initial: "initial"
    case .minimum: "min"
    case .maximum: "max"
    case .choices: "choices"
    case .maxBytes: "max-bytes"
    case .durability: "durability"
    case .description: "description"
    case .dryRun: "dry-run"
    case .replace: "replace"
    case .lines: "lines"
    case .once: "once"
    case .changesOnly: "changes-only"
    case .every: "every"
    case .markers: "markers"
    case .exec: "exec"
    case .execFail: "exec-fail"
    case .any: "any"
    case .all: "all"
    case .stableFor: "stable-for"
    case .patience: "wait"
    case .grace: "grace"
    case .killAfter: "kill-after"
    case .holders: "holders"
    case .shared: "shared"
    case .yes: "yes"
    case .interval: "interval"
    case .format: "format"
    case .showPrevious: "show-previous"
    case .openMetrics: "openmetrics"
    case .http: "http"
    case .asUser: "as"
    case .socketName: "socket-name"
    case .requests: "requests"
    case .connections: "connections"
    case .pipeline: "pipeline"
    case .size: "size"
    case .duration: "duration"
    case .quiet: "quiet"
    case .window: "window"
    case .svg: "svg"
    case .csv: "csv"
    case .since: "since"
    case .at: "at"
    case .by: "by"
    case .verb: "verb"
    case .name: "name"
    case .publish: "publish"
    case .waitTurn: "wait-turn"
    case .takeOver: "take-over"
    case .release: "release"
    case .ifStale: "if-stale"
    }
  }

  var short: UInt8? {
    switch self {
    case .help: UInt8(ascii: "h")
    case .json: UInt8(ascii: "j")
    case .long: UInt8(ascii: "l")
    case .lines: UInt8(ascii: "n")
    case .once: UInt8(ascii: "1")
    case .requests, .holders: UInt8(ascii: "n")
    case .connections: UInt8(ascii: "c")
    case .pipeline: UInt8(ascii: "P")
    case .size: UInt8(ascii: "d")
    case .quiet: UInt8(ascii: "q")
    default: nil
    }
  }

  /// What the help calls the option's argument; nil if it takes none.
  var placeholder: String? {
    switch self {
    case .socket: "PATH"
    case .svg: "FILE"
    case .timeout, .ttl, .stableFor, .patience, .grace, .killAfter, .interval, .duration, .window: "TIME"
    case .format: "TEMPLATE"
    case .ifRevision, .since, .at: "[EPOCH:]N"
    case .ifValue, .default, .initial, .minimum, .maximum: "V"
    case .type: "T"
    case .choices: "V,V..."
    case .maxBytes, .lines, .holders, .requests, .connections, .pipeline, .size: "N"
    case .durability: "D"
    case .description: "TEXT"
    case .exec: "CMD..."
    case .execFail: "stop|continue"
    case .ifStale: "show|fail"
    case .asUser, .by: "USER"
    case .verb: "KIND"
    case .name, .release: "NAME"
    case .publish: "SCRIPT"
    case .socketName: "SOCKET"
    default: nil
    }
  }

  var summary: String {
    switch self {
    case .socket: "the hub's socket (else $STATEHUB_SOCKET, the user's hub, the system's)"
    case .user: "the user's own hub, $XDG_RUNTIME_DIR/statehub/hub.sock"
    case .system: "the system's hub, /run/statehub/hub.sock"
    case .timeout: "give up after TIME; 5s, for wait and watch none, and 0 looks once"
    case .json: "JSON, one object in a line"
    case .help: "this text"
    case .version: "the version of statectl"
    case .ifRevision: "only if the store's revision is N (0: there is no such store)"
    case .ifValue: "only if the store's value is V"
    case .ifAbsent: "only if there is no such store"
    case .ttl: "the value ends after TIME, as in 90, 1.5s, 200ms, 10m, 2h, 1d"
    case .type: "integer, double, boolean, string, data or json"
    case .force: "count as a change even if the value is equal"
    case .clamp: "stop at the minimum or maximum instead of failing"
    case .showRevision: "print the store's revision too, in front of the value"
    case .default: "print V for a store that does not exist"
    case .long: "type, revision, time of the last change and value too"
    case .initial: "the value at the start, after reset and after the end of a ttl"
    case .minimum: "the least value, for integer and double"
    case .maximum: "the greatest value, for integer and double"
    case .choices: "the only values accepted (\\, is a comma in a value)"
    case .maxBytes: "the longest string, data or json"
    case .durability: "volatile, relaxed or synced"
    case .description: "what the store is for"
    case .dryRun: "let the hub try everything, and apply nothing"
    case .replace: "remove stores whose type or rules conflict with the dump's, and make them again"
    case .lines: "end after N lines, the current value included"
    case .once: "end after one line, or one look"
    case .changesOnly: "omit the current value"
    case .every: "every change, not only the newest value when the reader is slow"
    case .markers: "with --json: also lines of kind synced, resumed and reset"
    case .exec: "run CMD for each value instead of printing it; takes the rest of the line"
    case .execFail: "when CMD fails: stop with its status, or continue (the default)"
    case .any: "of several conditions one is enough"
    case .all: "several conditions have to hold at the same time"
    case .stableFor: "only once it has held for TIME without interruption"
    case .patience: "give up if it is not free within TIME (0: try once); else wait without end"
    case .grace: "after the loss of the connection, try to keep it for TIME before CMD is ended"
    case .killAfter: "how long CMD may take to end, before SIGKILL; 10s"
    case .holders: "up to N hold the lock at a time"
    case .shared: "any number hold the lock at a time, beside others with --shared"
    case .yes: "do not ask before stores are removed by a glob"
    case .interval: "at most once in TIME, with the newest value of each store"
    case .format:
      "each line as TEMPLATE says: {name} {value} {previous} {revision} {bookmark} {kind} {skipped} {time}"
    case .showPrevious: "the value before, too, in front of the value"
    case .openMetrics: "OpenMetrics text, for scrapers such as Prometheus"
    case .http: "with --openmetrics: answer one HTTP request, from standard input to standard output"
    case .asUser: "ask about USER, a name or a number; only root and the hub's own user may"
    case .socketName: "ask about one of the hub's further sockets"
    case .requests: "so many requests in each test; 100000"
    case .connections: "so many connections at once; 50"
    case .pipeline: "so many requests at once on each connection; 1"
    case .size: "the length of values, in bytes; 3"
    case .duration: "end each test after TIME; 10s"
    case .quiet: "one short line for each test"
    case .window: "how much time the chart spans; 1m"
    case .svg: "at the end, write all that was seen to FILE as a picture"
    case .since: "what was changed after revision N, as far as the hub has kept it"
    case .at: "values as they were at revision N, as far as the hub has kept them"
    case .by: "only what USER, a name or a number, asks for"
    case .verb: RequestText.kinds
    case .name: "what the claim is called, instead of as the first STORE or GLOB begins"
    case .publish: "run SCRIPT once, and publish the lines STORE VALUE that it prints"
    case .waitTurn: "wait for the turn while another has the stores, instead of failing"
    case .takeOver: "take the stores over from another process of yours that provides them"
    case .release: "end the claim of that name"
    case .ifStale: "values whose provider is away: say so, or fail with status 12 instead of printing them"
    case .csv: "comma-separated lines: time, value, revision, skipped"
    }
  }
}
