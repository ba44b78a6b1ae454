// Records what connections request and what the hub does by itself, for monitors. It costs nothing while there is no monitor.

import HubCore

extension HubEngine {
  /// `receive`, and a note of it once it is answered.
  @inline(never)
  mutating func receiveObserved(
    _ frame: FrameView, from session: SessionID, in turn: borrowing Turn, now: Instant,
    into replies: inout OutputBuffer
  ) -> Receipt {
    let start = replies.count
    attention.isMonitored = false
    let receipt = receive(frame, from: session, in: turn, now: now, into: &replies)
    attention.isMonitored = !monitoring.monitors.isEmpty
    // Do not report a monitor's own request to itself.
    if receipt.contains(.askAgain) || monitoring.hasMonitor(session) { return receipt }
    observe(frame, of: session, refusal(in: replies.view.suffix(from: start)), now: now)
    return receipt
  }

  /// The error of a request, if it was refused. A reload is answered later: then there is none yet.
  private func refusal(in reply: ByteView) -> HubError? {
    guard !reply.isEmpty, FrameView(bytes: reply).rawKind == ReplyKind.error.rawValue,
      case .error(let error)? = try? Reply(decoding: FrameView(bytes: reply))
    else { return nil }
    return error
  }

  /// - Parameter error: the error of the request, if it was refused.
  private mutating func observe(_ frame: FrameView, of session: SessionID, _ error: HubError?, now: Instant) {
    let peer = feed.sessions.peer(of: session)
    var names: [String] = []
    // The whole request is decoded, and each of its names is compared with each filter.
    if let request = try? Request(decoding: frame) {
      for subject in request.subjects { names.append(label(subject)) }
    }
    work &+= Cost.bytes(frame.bytes.count) &+ Cost.entry &* names.count
    for monitor in monitoring.monitors {
      guard let pattern = monitor.filter.pattern else { continue }
      for name in names { work &+= Cost.match(name.utf8.count, pattern) }
    }
    var record = MonitorRecord(
      time: now.wall, kind: frame.rawKind, revision: history.revision, uid: peer.uid, pid: peer.pid,
      client: feed.sessions.name(of: session), name: names.first ?? "")
    if let error { (record.code, record.error) = (error.code.rawValue, error.message) }
    record.length = UInt32(frame.bytes.count)
    record.flags = frame.flags
    record.payload = frame.payload.slice(0, min(frame.payload.count, MonitorRecord.mostPayload)).array
    monitoring.tell(record, about: names)
  }

  /// The hub has changed a store by itself: because a time to live has ended, or a connection.
  mutating func observe(_ slot: Int, _ kind: EventKind) {
    let name = stores.name(of: slot).text
    var record = MonitorRecord(
      time: stores[slot].time, kind: kind.rawValue, revision: history.revision, uid: options.uid, pid: 0,
      client: "", name: name)
    if kind != .removed {
      var value = OutputBuffer(capacity: 64)
      value.append(stores.value(of: slot).value)
      record.length = UInt32(Frame.headerLength + value.count)
      record.payload = Array(value.array.prefix(MonitorRecord.mostPayload))
    }
    monitoring.tell(record, about: [name])
  }

  /// The name of the store that a request refers to.
  private func label(_ store: StoreReference) -> String {
    switch store {
    case .name(let name): name.text
    case .id(let id):
      stores.find(id).map { stores.name(of: $0).text } ?? history.removals.entry(of: id)?.name.text ?? ""
    }
  }

  private func label(_ subject: RequestSubject) -> String {
    switch subject {
    case .store(let store): label(store)
    case .pattern(let pattern): pattern.text
    }
  }

  /// The request `monitor`: starts monitoring, or returns the records since the last one.
  mutating func tellMonitor(
    _ frame: FrameView, by session: SessionID, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = MonitorCommand(frame) else { throw HubError.malformed(frame) }
    try checkAdministrator(to: "monitor", by: session)
    let filter = try command.filter()
    let page = try monitoring.page(for: session, filter, bytes: HubEngine.pageBytes)
    noteObservers()
    work &+= Cost.bytes(page.records.reduce(0) { $0 + $1.cost })
    Reply.monitored(page).encode(into: &replies, request: frame.request)
  }
}

/// The stores and globs that a request names.
private enum RequestSubject {
  case store(StoreReference)
  case pattern(NamePattern)
}

extension Request {
  fileprivate var subjects: [RequestSubject] {
    switch self {
    case .get(let store), .describe(let store): [.store(store)]
    case .write, .transaction: operations.map { .store($0.store) }
    case .list(let pattern, _, _), .log(let pattern, _, _): [.pattern(pattern)]
    case .watch(let patterns, _, _, _, _): patterns.map { .pattern($0) }
    case .access(let name, _): [.store(.name(name))]
    case .provide(let offer): offer.patterns.map { .pattern($0) }
    case .standing, .decide, .hello, .ping, .unwatch, .clients, .stats, .reload, .monitor, .restrict: []
    }
  }
}
