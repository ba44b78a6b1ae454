// Every option: its spelling, its argument and its line of help. Each verb lists the options that it takes.

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
  case dryRun, replace, prune, source
  // Watching.
  case lines, once, changesOnly, every, markers, exec, execFail
  // Waiting.
  case any, all, stableFor
  // Holding.
  case patience, grace, killAfter, holders, shared
  // Many.
  case yes, interval, deadband, when, deadline, format, showPrevious
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
  case name, publish, onDemand, onRead, waitTurn, takeOver, release, ifStale

  static let global = Options([.socket, .user, .system, .timeout, .json, .help, .version])

  /// The options for creating a store: its type, and one for each row of `SchemaField`.
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

  /// Its entry in the command line and in the help.
  private struct Row {
    let name: String
    let short: UInt8?
    /// Empty if it takes none. Not optional: copying an optional string makes the Swift runtime build a type at every
    /// start.
    let argument: String
    let summary: String

    init(_ name: String, short: Unicode.Scalar? = nil, takes argument: String = "", _ summary: String) {
      self.name = name
      self.short = short.map { UInt8($0.value) }
      self.argument = argument
      self.summary = summary
    }
  }

  /// The long name.
  var name: String { row.name }
  var short: UInt8? { row.short }
  /// What the help calls the option's argument; nil if it takes none.
  var placeholder: String? {
    let argument = row.argument
    return argument.isEmpty ? nil : argument
  }
  /// A line for the help. The kinds of requests are put together only for it.
  var summary: String { self == .verb ? RequestText.kinds : row.summary }

  private var row: Row {
    switch self {
    case .socket:
      Row("socket", takes: "PATH", "the hub's socket (else $STATEHUB_SOCKET, the user's hub, the system's)")
    case .user: Row("user", "the user's own hub, $XDG_RUNTIME_DIR/statehub/hub.sock")
    case .system: Row("system", "the system's hub, /run/statehub/hub.sock")
    case .timeout:
      Row("timeout", takes: "TIME", "give up after TIME (default: 5s; wait and watch: never); 0 checks once")
    case .json: Row("json", short: "j", "print JSON, one object per line")
    case .help: Row("help", short: "h", "print this help")
    case .version: Row("version", "print the version of statectl")
    case .ifRevision:
      Row("if-revision", takes: "[EPOCH:]N", "only if the store's revision is N (0: there is no such store)")
    case .ifValue: Row("if-value", takes: "V", "only if the store's value is V")
    case .ifAbsent: Row("if-absent", "only if there is no such store")
    case .ttl: Row("ttl", takes: "TIME", "the value expires after TIME: 90, 1.5s, 200ms, 10m, 2h, 1d")
    case .type: Row("type", takes: "T", "integer, double, boolean, string, data or json")
    case .force: Row("force", "count as a change even if the value is the same")
    case .clamp: Row("clamp", "stop at the minimum or maximum instead of failing")
    case .showRevision: Row("show-revision", "also print the store's revision, before the value")
    case .default: Row("default", takes: "V", "print V for a store that does not exist")
    case .long: Row("long", short: "l", "also print type, revision, time of the last change and value")
    case .initial:
      Row("initial", takes: "V", "the value of a new store, after reset, and after a ttl expires")
    case .minimum: Row("minimum", takes: "V", "the smallest accepted value, for integer and double")
    case .maximum: Row("maximum", takes: "V", "the largest accepted value, for integer and double")
    case .choices: Row("choices", takes: "V,V...", "the only accepted values (\\, is a comma in a value)")
    case .maxBytes: Row("max-bytes", takes: "N", "the longest string, data or json")
    case .durability: Row("durability", takes: "D", "volatile, relaxed or synced")
    case .description: Row("description", takes: "TEXT", "what the store is for")
    case .dryRun: Row("dry-run", "check everything with the hub, but apply nothing")
    case .replace:
      Row("replace", "remove and recreate stores whose type or rules conflict with the new ones")
    case .prune: Row("prune", "remove stores that this source made but its files no longer list")
    case .source: Row("source", takes: "NAME", "the owner of the files, such as a package")
    case .lines: Row("lines", short: "n", takes: "N", "exit after N lines, counting the current value")
    case .once: Row("once", short: "1", "exit after one line, or one check")
    case .changesOnly: Row("changes-only", "omit the current value")
    case .every: Row("every", "print every change, even if the reader is slow")
    case .markers: Row("markers", "with --json: also print lines of kind synced, resumed and reset")
    case .exec:
      Row(
        "exec", takes: "CMD...",
        "run CMD for each value instead of printing it; takes the rest of the command line")
    case .execFail:
      Row(
        "exec-fail", takes: "stop|continue", "when CMD fails: stop with its status, or continue (the default)"
      )
    case .any: Row("any", "succeed when any condition holds")
    case .all: Row("all", "succeed when all conditions hold at the same time")
    case .stableFor: Row("stable-for", takes: "TIME", "succeed only once the condition has held for TIME")
    case .patience:
      Row("wait", takes: "TIME", "give up if it is not free within TIME (0: try once; default: never)")
    case .grace:
      Row(
        "grace", takes: "TIME",
        "after the connection is lost, try to keep the lock for TIME before stopping CMD (default: 0)")
    case .killAfter:
      Row("kill-after", takes: "TIME", "how long CMD may take to exit before SIGKILL (default: 10s)")
    case .holders: Row("holders", short: "n", takes: "N", "let up to N holders have the lock at a time")
    case .shared: Row("shared", "share the lock with all others that use --shared")
    case .yes: Row("yes", "do not ask before removing stores that match a glob")
    case .interval:
      Row("interval", takes: "TIME", "print each store at most once per TIME, with its newest value")
    case .deadband:
      Row("deadband", takes: "N|N%", "print numbers only when they have changed by at least N")
    case .when:
      Row("when", takes: "COND", "print a value when COND starts or stops holding, such as 'gt 80'")
    case .deadline:
      Row("deadline", takes: "TIME", "print a store's line again, with overdue, if unwritten for TIME")
    case .format:
      Row(
        "format", takes: "TEMPLATE",
        "format each line with TEMPLATE: {name} {value} {previous} {revision} {bookmark} {kind} {skipped} {time} {overdue}"
      )
    case .showPrevious: Row("show-previous", "also print the previous line's value, before the value")
    case .openMetrics: Row("openmetrics", "print OpenMetrics text, for scrapers such as Prometheus")
    case .http:
      Row("http", "with --openmetrics: answer one HTTP request, from standard input to standard output")
    case .asUser:
      Row(
        "as", takes: "USER",
        "ask about USER, a name or a number, about a program such as app:ID, or about USER,PROGRAM (only root and the "
          + "hub's own user may)"
      )
    case .socketName: Row("socket-name", takes: "SOCKET", "ask about one of the hub's additional sockets")
    case .requests: Row("requests", short: "n", takes: "N", "requests in each test (default: 100000)")
    case .connections: Row("connections", short: "c", takes: "N", "concurrent connections (default: 50)")
    case .pipeline:
      Row("pipeline", short: "P", takes: "N", "concurrent requests on each connection (default: 1)")
    case .size: Row("size", short: "d", takes: "N", "the length of values, in bytes (default: 3)")
    case .duration: Row("duration", takes: "TIME", "stop each test after TIME (default: 10s)")
    case .quiet: Row("quiet", short: "q", "print one short line for each test")
    case .window: Row("window", takes: "TIME", "how much time the chart spans (default: 1m)")
    case .svg: Row("svg", takes: "FILE", "on exit, write the whole chart to FILE as a picture")
    case .csv: Row("csv", "print comma-separated lines: time, value, revision, skipped")
    case .since:
      Row("since", takes: "[EPOCH:]N", "print changes after revision N, if the hub still has them")
    case .at:
      Row(
        "at", takes: "[EPOCH:]N",
        "print the values at revision N, if the hub still has them")
    case .by: Row("by", takes: "USER", "only requests of USER, a name or a number")
    case .verb: Row("verb", takes: "KIND", "")
    case .name:
      Row("name", takes: "NAME", "the claim's name (default: the first parts of the first STORE or GLOB)")
    case .publish:
      Row("publish", takes: "SCRIPT", "run SCRIPT once, and publish the values that it prints")
    case .onDemand:
      Row("on-demand", takes: "SCRIPT", "like --publish, but run SCRIPT only while clients watch the stores")
    case .onRead:
      Row(
        "on-read", takes: "SCRIPT",
        "run SCRIPT for each read of a store, and publish the value that it prints")
    case .waitTurn: Row("wait-turn", "wait while another process provides the stores, instead of failing")
    case .takeOver: Row("take-over", "take over the stores from another process of the same user")
    case .release: Row("release", takes: "NAME", "release the claim with that name")
    case .ifStale:
      Row(
        "if-stale", takes: "show|fail",
        "when a value's provider is away: print a note, or fail with status 12")
    }
  }
}
