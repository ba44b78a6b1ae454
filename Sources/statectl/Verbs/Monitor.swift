// `statectl monitor`: other clients' requests, live.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let monitor = VerbSpec(
    "monitor", "[STORE|GLOB]", 0...1,
    options: Options([.by, .verb, .lines]),
    summary: "print every request of other programs, live",
    details: """
      Prints a line for each request that the hub answers, and for each change that the hub makes by itself:
      the time in UTC, the user, the name that the program gave itself, its process, the request, and the
      error if it was refused. Only root and the hub's user may monitor. The hub records requests only while
      it is monitored, and holds at most 1 MiB of unread records; any more are only counted. Long requests are
      truncated. --verb shows only requests of that kind, and can be given several times; changed, created and
      removed are changes that the hub makes by itself.
      """,
    examples: ["monitor", "monitor 'audio.**' --verb set --verb txn", "monitor --by alice --json"],
    action: .follow { words throws(Failure) in try MonitorCommand(words).run })
}

private struct MonitorCommand {
  private let filter: MonitorFilter
  private let limit: Int
  private let users = UserNames()

  /// The pause between requests when there is nothing to report.
  private static let pause = Duration.milliseconds(100)

  init(_ words: CommandLineWords) throws(Failure) {
    var filter = MonitorFilter(pattern: words.operands.isEmpty ? nil : try words.pattern(0))
    if let user = words.text(.by) { filter.uid = try LocalAccount(user).uid }
    for verb in words.arguments(.verb).map(\.text) {
      guard let kind = RequestText.verbs.first(where: { $0.word == verb })?.kind else {
        throw .usage(
          "no request is called '\(verb)'",
          hint: Suggestion.hint(for: verb, among: RequestText.verbs.map(\.word), of: "requests"))
      }
      filter.kinds.append(kind)
    }
    self.filter = filter
    limit = try words.lineLimit()
  }

  func run(_ place: SocketPath, _ patience: Patience, _ output: inout Output) throws(Failure) {
    var link = Link(to: place, for: .monitor)
    var hasBegun = false
    var left = limit
    while left > 0, patience.deadline > .now {
      var next = Deadline.now
      let deadline = min(patience.deadline, .after(HubConnection.defaultPatience))
      var page: MonitorPage?
      do throws(HubError) {
        page = try look(&link, until: deadline)
      } catch {
        try link.lose(error)
        next = link.nextAttempt
      }
      if let page {
        if !page.more { next = .after(MonitorCommand.pause) }
        try tell(page, &hasBegun, &left, &output)
      }
      try Waiting.poll(output: output.descriptor, until: min(next, patience.deadline))
    }
    if !hasBegun, left > 0 {
      throw .hub(HubError(.timeout, "the hub at \(place.resolved) did not answer in time"))
    }
  }

  private func look(_ link: inout Link, until deadline: Deadline) throws(HubError) -> MonitorPage {
    let isNew = !link.isOpen
    if isNew { try link.open(until: deadline) }
    guard case .monitored(let page)? = try link.connection?.request(.monitor(filter), deadline: deadline)
    else { throw .unexpectedReply }
    if isNew { link.succeed() }
    return page
  }

  private func tell(
    _ page: MonitorPage, _ hasBegun: inout Bool, _ left: inout Int, _ output: inout Output
  ) throws(Failure) {
    if page.begins, hasBegun { complain("the hub was upgraded or replaced: some requests are not shown") }
    hasBegun = true
    for record in page.records.prefix(left) { try show(record, &output) }
    left -= min(left, page.records.count)
    try tell(missed: page.missed, &output)
    try output.flush()
  }

  private func show(_ record: MonitorRecord, _ output: inout Output) throws(Failure) {
    try tell(missed: record.missed, &output)
    let request = RequestText(record)
    if output.isJSON { return try output.json { $0.members(of: record, request) } }
    let client =
      "\(record.client.isEmpty ? "-" : record.client)[\(record.pid == 0 ? "-" : String(record.pid))]"
    let who = record.isByHub ? "the hub" : client
    let end = record.code == 0 ? "" : "  refused: \(record.error)"
    let line = "\(users.text(of: record.uid))  \(who)  \(request.text)\(end)"
    try output.line("\(TimeText.short(record.time))  \(ValueText.visible(line))")
  }

  private func tell(missed: UInt32, _ output: inout Output) throws(Failure) {
    if missed == 0 { return }
    if output.isJSON { return try output.json { $0.member("missed", missed) } }
    complain("\(missed) requests are not shown: they arrived faster than they were read")
  }
}

extension JSONWriter {
  fileprivate mutating func members(of record: MonitorRecord, _ request: RequestText) {
    member("time", TimeText.rfc3339(record.time))
    member("verb", request.verb)
    if !record.name.isEmpty { member("name", record.name) }
    member("request", request.text)
    member("bytes", record.length)
    member("revision", record.revision)
    member("uid", record.uid)
    if record.pid != 0 { member("pid", record.pid) }
    if !record.client.isEmpty { member("client", record.client) }
    guard record.code != 0 else { return }
    member("error", HubError.Code(rawValue: record.code).map { "\($0)" } ?? "\(record.code)")
    member("message", record.error)
  }
}
