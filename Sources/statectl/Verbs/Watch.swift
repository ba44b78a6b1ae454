// `statectl watch`: waits for the hub, the reader of its output and its command at once, and serves each when it is ready.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let watch = VerbSpec(
    "watch", "STORE|GLOB...", 1 ... .max,
    options: Options([
      .lines, .once, .changesOnly, .since, .every, .interval, .deadband, .when, .showRevision, .showPrevious,
      .format, .markers, .exec, .execFail, .ifStale,
    ]),
    summary: "print the current value, then every change",
    details: """
      For one store, prints a line for each value. For several stores or a glob (* matches one part of a name,
      ** any number), each line is name, tab, value. Control characters are escaped, data is base64. The watch
      waits for stores that do not exist yet, and survives restarts of the hub. --since prints the changes
      after a revision, if the hub still has them, instead of the current value. --show-revision and
      --show-previous put the revision and the previous line's value before the value. The hub applies
      --interval, --deadband and --when: values that they leave out are not sent, and count as skipped. --when
      takes a condition of wait, except changes; values of another type than V are always printed. With --exec
      the command gets STATEHUB_STORE, STATEHUB_VALUE, STATEHUB_REVISION, STATEHUB_EPOCH, STATEHUB_SKIPPED and
      STATEHUB_KIND in its environment and a JSON line on its standard input. Only one command runs at a time;
      of the values that arrive meanwhile, it gets only the newest of each store. --if-stale show reports, on
      standard error or as lines of JSON, when values stop being live because their provider or the hub is
      away; fail then ends the watch.
      """,
    examples: [
      "watch audio.volume", "watch 'audio.**' --json", "watch -1 network.up", "watch load --interval 1s",
      "watch 'sensors.**' --interval 1s --deadband 0.5", "watch battery.level --when 'lt 20'",
      "watch 'audio.*' --format '{time} {name}: {previous} -> {value}'",
      "watch audio.volume --exec sh -c 'amixer -q set Master \"$STATEHUB_VALUE%\"'",
    ],
    action: .follow(WatchCommand.init))
}

struct WatchCommand: FollowingCommand {
  private let patterns: [NamePattern]
  private let policy: WatchPolicy
  private let format: LineFormat
  private let command: [Argument]
  private let stopsOnFailure: Bool
  private let limit: Int
  private let interval: Duration?
  private let filter: WatchFilter?
  private let since: RevisionWord?
  private let staleness: Staleness
  private let json: Bool

  /// The limit of one request of the protocol.
  private static let maximumPatterns = Int(UInt16.max)

  init(_ words: CommandLineWords) throws(Failure) {
    guard words.operands.count <= WatchCommand.maximumPatterns else {
      throw .usage("watch takes at most \(WatchCommand.maximumPatterns) stores and globs")
    }
    let patterns = try words.patterns()
    self.patterns = patterns
    staleness = try Staleness(words)
    json = words.has(.json)
    policy = words.has(.every) ? .every : .latest
    command = words.command
    format = try LineFormat(
      words, named: patterns.count > 1 || !patterns[0].isLiteral, runs: !command.isEmpty)
    interval = try words.duration(.interval)
    filter = try words.filter()
    since = try words.revision(.since)
    switch words.text(.execFail) {
    case nil, "continue": stopsOnFailure = false
    case "stop": stopsOnFailure = true
    case let text?: throw .usage("--exec-fail takes stop or continue, not '\(text)'")
    }
    limit = words.has(.once) ? 1 : try words.integer(.lines, in: 1...Int.max) ?? .max
  }

  /// - Throws: errors that end the watch before its last line; also `status`.
  func run(at place: SocketPath, within patience: Patience, _ output: inout Output) throws(Failure) {
    let deadline = patience.deadline
    var events: [StoreEvent] = []
    // Providers first: freshness is known before a value is printed.
    var follower = try Follower(
      (staleness.isAsked ? [ClaimStatus.pattern] : []) + patterns, policy: policy, at: place, for: .watch,
      until: deadline, filter: filter, restrictedTo: command.isEmpty ? nil : .reading, into: &events)
    var isKnown = false
    var past = since.map { WatchPast(since: $0) }
    let place = SocketPath.explicit(place.resolved)
    var (format, count, pace) = (format, 0, Pace(interval))
    var runner = Runner(command, stopsOnFailure: stopsOnFailure)
    while true {
      let mayHaveMore = try follower.advance(until: deadline, into: &events)
      let isOver = deadline <= .now && !mayHaveMore
      if isOver, interval != nil { follower.takeRest(into: &events) }
      try past?.tell(of: patterns, at: place, start: follower.start, into: &events)
      try staleness.follow(follower.outage, json: json, to: &output)
      for event in events where count < limit {
        if event.kind == .synced { isKnown = true }
        if staleness.isAsked {
          try staleness.follow(event, of: patterns, json: json, to: &output)
          if event.kind.isAboutStore, !patterns.contains(where: { $0.matches(event.name) }) { continue }
        }
        if command.isEmpty {
          if try format.write(event, staleness, to: &output) { count += 1 }
        } else if format.counts(event) {
          runner.put(event)
        }
      }
      events.removeAll(keepingCapacity: true)
      try output.flush()
      if runner.isWaiting, pace.due <= .now {
        try runner.start()
        pace.start(now: .now)
      }
      if max(count, runner.finished) >= limit { return }
      if mayHaveMore { continue }
      if isOver || patience.looksOnce && isKnown && runner.isIdle {
        throw .hub(HubError(.timeout, "timed out"))
      }
      var due = min(deadline, follower.nextAttempt)
      if runner.isWaiting { due = min(due, pace.due) }
      let arrived = Waiting.poll(
        hub: follower.descriptor, child: runner.descriptor,
        output: command.isEmpty ? output.descriptor : -1, until: due)
      if arrived.isOutputClosed { throw .outputClosed }
      if arrived.hasChildEnded { try runner.reap() }
    }
  }
}
