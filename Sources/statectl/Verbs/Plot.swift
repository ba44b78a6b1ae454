// `statectl plot`: a number's changes as a moving chart, as lines, and as a picture.

internal import HubCore
internal import HubSystem
internal import HubTransport

extension VerbSpec {
  static let plot = VerbSpec(
    "plot", "STORE", 1...1,
    options: Options([.window, .lines, .svg, .csv]),
    summary: "draw a number's changes as a chart",
    details: """
      On a terminal, draws a moving chart of the last minute (or --window). It begins with the history that the
      hub has kept (historyBytes). Keys: q quits, + and - zoom, p pauses. After -n or
      --timeout the last chart stays on the screen. With --csv or --json, or if the output is not a terminal, it
      prints a line for each change. --svg writes everything shown to a picture on exit, even after Ctrl-C.
      --timeout ends the plot after that time. Booleans are drawn as 0 and 1.
      """,
    examples: [
      "plot sensor.light", "plot sensor.light --window 10m", "plot load --csv",
      "plot load --svg load.svg --timeout 1h",
    ],
    action: .follow { words throws(Failure) in try PlotCommand(words).run })
}

private struct PlotCommand {
  private let store: StoreName
  private let window: Duration
  private let limit: Int
  private let form: PlotLines.Form?
  private let picture: String?

  private static let frame = Duration.milliseconds(100)

  init(_ words: CommandLineWords) throws(Failure) {
    store = try words.storeName(0)
    window = try words.duration(.window) ?? .seconds(60)
    limit = try words.lineLimit()
    form = words.has(.csv) ? .csv : words.has(.json) ? .json : nil
    picture = words.text(.svg)
  }

  func run(_ place: SocketPath, _ patience: Patience, _ output: inout Output) throws(Failure) {
    let start = SystemClock.real
    let picture: PlotPicture?
    if let path = self.picture { picture = try PlotPicture(at: path) } else { picture = nil }
    var model = PlotModel()
    do throws(Failure) {
      try follow(at: place, patience, &model, &output)
    } catch {
      try picture?.write(model, name: store.text, from: start, to: SystemClock.real)
      throw error
    }
    try picture?.write(model, name: store.text, from: start, to: SystemClock.real)
  }

  private func follow(
    at place: SocketPath, _ patience: Patience, _ model: inout PlotModel, _ output: inout Output
  ) throws(Failure) {
    let follower = try Follower(
      [NamePattern(store)], policy: .every, at: place, for: .plot, until: patience.deadline, isQuiet: true)
    if form == nil, LiveScreen.isPossible(output) {
      try recall(at: place, until: follower.start, &model)
      for line in try draw(follower, &model, patience) { try output.line(line) }
    } else {
      try print(follower, &model, patience, &output)
    }
  }

  /// Begins with the hub's history, if it keeps one.
  ///
  /// - Parameter start: the revision from which on events show the changes.
  private func recall(at place: SocketPath, until start: Revision, _ model: inout PlotModel) throws(Failure) {
    var client = try Client(to: place, for: .plot, until: nil)
    guard var history = try? KeptHistory(of: NamePattern(store), &client) else { return }
    while let part = try history.next(&client) {
      for change in part.changes where change.revision <= start {
        // A value that was not a number at the time is a gap.
        _ = try? model.take(
          StoreEvent(
            .initial, name: change.name, value: change.value, revision: change.revision,
            epoch: Epoch(high: 0, low: 0), time: change.time))
      }
    }
  }

  /// - Returns: the last chart, if no key ended it.
  private func draw(
    _ follower: consuming Follower, _ model: inout PlotModel, _ patience: Patience
  ) throws(Failure) -> [String] {
    var follower = follower
    var view = PlotView(name: store.text, window: window)
    var screen = try LiveScreen()
    var count = 0
    while true {
      var mayHaveMore = true
      while mayHaveMore {
        mayHaveMore = try follower.advance(until: .never)
        for event in follower.takeEvents() where try model.take(event) { count += 1 }
      }
      let size = screen.size
      let lines = view.lines(
        model, now: SystemClock.real, isConnected: follower.descriptor >= 0, rows: size.rows,
        columns: size.columns)
      screen.show(lines, heading: 0)
      if count >= limit || patience.deadline <= .now { return Array(lines.dropLast()) }
      guard let typed = try screen.keys(until: min(.after(PlotCommand.frame), patience.deadline)) else {
        return []
      }
      for key in typed { view.press(key, now: SystemClock.real) }
      if view.isDone { return [] }
    }
  }

  private func print(
    _ follower: consuming Follower, _ model: inout PlotModel, _ patience: Patience,
    _ output: inout Output
  ) throws(Failure) {
    var follower = follower
    let signals = try SignalDescriptor.ending()
    var lines = PlotLines(form ?? .text)
    try lines.begin(&output)
    var count = 0
    while true {
      let mayHaveMore = try follower.advance(until: patience.deadline)
      for event in follower.takeEvents() where count < limit {
        guard try model.take(event) else { continue }
        try lines.write(event, to: &output)
        count += 1
      }
      try output.flush()
      try signals.check()
      if count >= limit || patience.deadline <= .now { return }
      if mayHaveMore { continue }
      try follower.wait(output.descriptor, child: signals.raw, until: patience.deadline)
    }
  }
}
