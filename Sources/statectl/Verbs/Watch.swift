// `statectl watch`: waits for the hub, the reader of its output and its command at once, and serves each when it is ready.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let watch = VerbSpec(
    "watch", "STORE|GLOB...", 1 ... .max,
    options: Options([
      .lines, .once, .changesOnly, .since, .every, .interval, .deadband, .when, .deadline, .showRevision,
      .showPrevious, .format, .markers, .exec, .execFail, .ifStale,
    ]),
    summary: "print the current value, then every change",
    details: """
      For one store, prints a line for each value. For several stores or a glob (* matches one part of a name,
      ** any number), each line is name, tab, value. Control characters are escaped, data is base64. The watch
      waits for stores that do not exist yet, and survives restarts of the hub. --since prints the changes
      after a revision, if the hub still has them, instead of the current value. --show-revision and
      --show-previous put the revision and the previous line's value before the value. The hub applies
      --interval, --deadband and --when: values that they leave out are not sent, and count as skipped. --when
      takes a condition of wait, except changes; values whose type differs from V's are always printed. If a
      store is not written for TIME, --deadline prints its line again, with overdue appended; the next write
      prints it without, even if the value is equal. With --exec the command gets STATEHUB_STORE,
      STATEHUB_VALUE, STATEHUB_REVISION, STATEHUB_EPOCH, STATEHUB_SKIPPED and STATEHUB_KIND in its environment
      (also STATEHUB_OVERDUE while a --deadline is missed), and a JSON line on its standard input. Only one
      command runs at a time; of the values that arrive while it runs, the next one gets only the newest of
      each store. --if-stale show reports, on standard error or as lines of JSON, when values stop being live
      because their provider or the hub is away; fail then ends the watch.
      """,
    examples: [
      "watch audio.volume", "watch 'audio.**' --json", "watch -1 network.up", "watch load --interval 1s",
      "watch 'sensors.**' --interval 1s --deadband 0.5", "watch battery.level --when 'lt 20'",
      "watch sensor.temperature --deadline 30s",
      "watch 'audio.*' --format '{time} {name}: {previous} -> {value}'",
      "watch audio.volume --exec sh -c 'amixer -q set Master \"$STATEHUB_VALUE%\"'",
    ],
    action: .follow(command))
}

/// The limit of one request of the protocol.
private let maximumPatterns = Int(UInt16.max)

/// - Throws: errors that end the watch before its last line; also `status`.
private func command(_ words: CommandLineWords) throws(Failure) -> FollowingCommand {
  guard words.operands.count <= maximumPatterns else {
    throw .usage("watch takes at most \(maximumPatterns) stores and globs")
  }
  let patterns = try words.patterns()
  let staleness = try Staleness(words)
  let policy: WatchPolicy = words.has(.every) ? .every : .latest
  let command = words.command
  var format = try LineFormat(
    words, named: patterns.count > 1 || !patterns[0].isLiteral, runs: !command.isEmpty)
  let interval = try words.duration(.interval)
  let filter = try words.filter()
  var past = try words.revision(.since).map { WatchPast(since: $0) }
  let stopsOnFailure = try words.choice(.execFail, "stop", "continue") == "stop"
  let limit = words.has(.once) ? 1 : try words.lineLimit()
  return { place, patience, output throws(Failure) in
    let deadline = patience.deadline
    // Providers first: freshness is known before a value is printed.
    var follower = try Follower(
      (staleness.isAsked ? [ClaimStatus.pattern] : []) + patterns, policy: policy, at: place, for: .watch,
      until: deadline, filter: filter, restrictedTo: command.isEmpty ? nil : .reading)
    var isKnown = false
    let place = SocketPath.explicit(place.resolved)
    var count = 0
    var runner = Runner(command, every: interval, stopsOnFailure: stopsOnFailure)
    while true {
      let mayHaveMore = try follower.advance(until: deadline)
      let isOver = deadline <= .now && !mayHaveMore
      if isOver, interval != nil { follower.takeRest() }
      var events = follower.takeEvents()
      try past?.tell(of: patterns, at: place, start: follower.start, into: &events)
      try staleness.follow(follower.outage, to: &output)
      for event in events where count < limit {
        if event.kind == .synced { isKnown = true }
        if staleness.isAsked {
          try staleness.follow(event, of: patterns, to: &output)
          if event.kind.isAboutStore, !patterns.contains(where: { $0.matches(event.name) }) { continue }
        }
        if command.isEmpty {
          if try format.write(event, staleness, to: &output) { count += 1 }
        } else if format.counts(event) {
          runner.put(event)
        }
      }
      try output.flush()
      try runner.start()
      if max(count, runner.finished) >= limit { return }
      if mayHaveMore { continue }
      if isOver || patience.looksOnce && isKnown && runner.isIdle {
        throw .hub(HubError(.timeout, "timed out"))
      }
      if try follower.wait(
        command.isEmpty ? output.descriptor : -1, child: runner.descriptor, until: min(deadline, runner.due))
      {
        try runner.reap()
      }
    }
  }
}
