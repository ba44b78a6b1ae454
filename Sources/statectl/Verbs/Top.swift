// `statectl top`: a live view of the hub, for a user at a terminal.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let top = VerbSpec(
    "top", "[GLOB]", 0...1,
    options: Options([.interval, .once]),
    summary: "show stores, their rates and their watchers, live",
    details: """
      Shows a summary of the hub, and a table of the matching stores: changes per second, trend, watchers,
      value. Keys: q quits; s sorts by rate, name, last change or watchers; / filters (Enter keeps the filter,
      Esc clears it); j and k scroll; p pauses; c shows the clients. It refreshes every second, or every
      --interval. With --once, or if the output is not a terminal, it prints lines.
      """,
    examples: ["top", "top 'audio.**' --interval 200ms", "top --once"],
    action: .follow { words throws(Failure) in try TopCommand(words).run })
}

private struct TopCommand {
  private let pattern: NamePattern
  private let interval: Duration
  private let isOnce: Bool

  private static let plainColumns = 160

  init(_ words: CommandLineWords) throws(Failure) {
    guard !words.has(.json) else {
      throw .usage("top has no --json", hint: "use statectl list, stats or clients")
    }
    pattern = try words.pattern()
    interval = try words.duration(.interval) ?? .seconds(1)
    isOnce = words.has(.once)
  }

  func run(_ place: SocketPath, _ patience: Patience, _ output: inout Output) throws(Failure) {
    let follower = try Follower(
      [pattern], policy: .latest, at: place, for: .top, until: patience.deadline, isQuiet: true)
    var model = TopModel()
    let hub = TopHub(place, until: patience.deadline)
    if isOnce || !LiveScreen.isPossible(output) {
      try printLines(follower, hub, &model, patience, &output)
    } else {
      try showScreen(follower, hub, &model, patience)
    }
  }

  private func printLines(
    _ follower: consuming Follower, _ hub: consuming TopHub, _ model: inout TopModel, _ patience: Patience,
    _ output: inout Output
  ) throws(Failure) {
    var follower = follower
    var hub = hub
    let view = TopView()
    var last = Deadline.now
    hub.sample(seconds: 0, rows: 0, &model)
    while true {
      let next = last + interval
      while Deadline.now < min(next, patience.deadline) {
        try take(&follower, &model)
        try follower.wait(output.descriptor, until: min(next, patience.deadline))
      }
      last = sample(&hub, &model, since: last, rows: .max)
      for line in view.plainLines(model, hub, columns: TopCommand.plainColumns) { try output.line(line) }
      try output.flush()
      if isOnce || patience.deadline <= .now { return }
      try output.line("")
    }
  }

  private func showScreen(
    _ follower: consuming Follower, _ hub: consuming TopHub, _ model: inout TopModel, _ patience: Patience
  ) throws(Failure) {
    var follower = follower
    var hub = hub
    var view = TopView()
    var screen = try LiveScreen()
    hub.sample(seconds: 0, rows: 0, &model)
    var last = Deadline.now
    while !view.isDone, patience.deadline > .now {
      if !view.isPaused { try take(&follower, &model) }
      let size = screen.size
      if !view.isPaused, last + interval <= .now { last = sample(&hub, &model, since: last, rows: size.rows) }
      screen.show(
        view.lines(model, hub, rows: size.rows, columns: size.columns), heading: TopView.heading)
      // Changes are read with each sample, not one by one.
      let due = view.isPaused ? Deadline.never : last + interval
      guard let typed = try screen.keys(until: min(due, patience.deadline)) else { return }
      for key in typed { view.press(key, &model) }
    }
  }

  private func take(_ follower: inout Follower, _ model: inout TopModel) throws(Failure) {
    var mayHaveMore = true
    while mayHaveMore {
      mayHaveMore = try follower.advance(until: .never)
      for event in follower.takeEvents() { model.take(event) }
    }
  }

  /// - Returns: when it was.
  private func sample(
    _ hub: inout TopHub, _ model: inout TopModel, since last: Deadline, rows: Int
  ) -> Deadline {
    let now = Deadline.now
    let seconds = Double(now.nanoseconds - last.nanoseconds) / 1_000_000_000
    model.sample(seconds: seconds)
    hub.sample(seconds: seconds, rows: rows, &model)
    return now
  }
}
