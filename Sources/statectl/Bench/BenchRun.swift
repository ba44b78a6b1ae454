// One test of `statectl bench`: keeps all connections busy, and measures the time. It waits for started requests.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct BenchResult {
  var times = BenchTimes()
  var seconds = 0.0
  /// Versions that were conflated.
  var skipped: UInt64 = 0
  /// The part of the time in which statectl did not wait for the hub.
  var busy = 0.0

  var perSecond: Double { seconds > 0 ? Double(times.count) / seconds : 0 }
}

final class BenchRun {
  private let work: BenchWork
  /// Those whose answers, or whose versions of the store, are counted.
  private let links: [BenchLink]
  /// In a fan-out: the connection that sets the store.
  private let writer: BenchLink?
  private let deadline: Deadline
  /// How many replies and versions are still expected.
  private var pending = 0

  /// How long to wait for started requests at the end of a test.
  private static let patience = HubConnection.defaultPatience
  /// And once `--timeout` is over.
  private static let grace = Duration.milliseconds(80)

  init(_ work: BenchWork, at place: SocketPath, until deadline: Deadline) throws(Failure) {
    self.work = work
    self.deadline = deadline
    let isFanout = work.test == .fanout
    links = try attempt { () throws(HubError) in
      var links: [BenchLink] = []
      for _ in 0..<work.load.connections {
        links.append(try BenchLink(to: place, watches: isFanout, until: deadline))
      }
      return links
    }
    writer =
      isFanout
      ? try attempt { () throws(HubError) in try BenchLink(to: place, watches: false, until: deadline) } : nil
  }

  /// - Throws: `status` after a signal; `timeout`; what the hub refuses.
  func measure(_ signals: borrowing SignalDescriptor, _ progress: Progress) throws(Failure) -> BenchResult {
    // The connections are made before the clock starts.
    try attempt { () throws(HubError) in
      for link in links { try link.begin(work.start[...], count: 1) }
    }
    pending = links.count
    var warmUp = BenchResult()
    try drive(0, until: .never, signals, progress, &warmUp)
    var result = BenchResult()
    let start = Deadline.now
    let waited = try drive(work.load.requests, until: start + work.load.within, signals, progress, &result)
    let elapsed = max(1, Deadline.now.nanoseconds - start.nanoseconds)
    result.seconds = Double(elapsed) / 1_000_000_000
    result.busy = 1 - Double(min(waited, elapsed)) / Double(elapsed)
    result.skipped = links.reduce(0) { $0 + $1.skipped }
    return result
  }

  /// Makes so many requests, and waits for all answers.
  ///
  /// - Parameter limit: when to stop starting requests.
  /// - Returns: how long it had nothing to do, in nanoseconds.
  @discardableResult
  private func drive(
    _ count: Int, until limit: Deadline, _ signals: borrowing SignalDescriptor, _ progress: Progress,
    _ result: inout BenchResult
  ) throws(Failure) -> UInt64 {
    var left = count
    var end = Deadline.never
    var signal: Signal?
    var waited: UInt64 = 0
    while true {
      let now = Deadline.now
      signal = signal ?? signals.next()
      if signal != nil || now >= min(limit, deadline) { left = 0 }
      if left > 0 { left = try feed(left) }
      if pending == 0, left <= 0 { break }
      if left <= 0, end == .never { end = min(now + BenchRun.patience, max(deadline, now) + BenchRun.grace) }
      if now >= end { throw .hub(HubError(.timeout, "the hub did not answer in time")) }
      let start = Deadline.now
      let ready = wait(signals, until: left > 0 ? min(limit, deadline) : end)
      waited += Deadline.now.nanoseconds - start.nanoseconds
      try serve(ready, &result)
      progress.reach(Int(result.times.count))
    }
    if let signal { throw .status(128 + signal.number) }
    if deadline <= .now { throw .hub(HubError(.timeout, "timed out")) }
    return waited
  }

  /// Starts requests on every idle connection.
  ///
  /// - Returns: how many are left.
  private func feed(_ left: Int) throws(Failure) -> Int {
    var left = left
    let most = work.load.pipeline
    try attempt { () throws(HubError) in
      if let writer {
        guard pending == 0 else { return }
        let count = max(1, min(most, left / links.count))
        let now = Deadline.now
        for link in links { link.expect(count, since: now) }
        try writer.begin(work.batch(count, of: 0), count: count)
        pending = count * (links.count + 1)
        left -= count * links.count
      } else {
        for (index, link) in links.enumerated() where link.pending == 0 && left > 0 {
          let count = min(most, left)
          try link.begin(work.batch(count, of: index), count: count)
          pending += count
          left -= count
        }
      }
    }
    return left
  }

  /// - Returns: of each connection, the writer's last, whether something has happened to it.
  private func wait(_ signals: borrowing SignalDescriptor, until deadline: Deadline) -> [Poll.Result] {
    var entries = links.map { ($0.descriptor, $0.purpose) }
    if let writer { entries.append((writer.descriptor, writer.purpose)) }
    entries.append((signals.raw, .reading))
    return Poll.wait(entries, milliseconds: deadline.pollTimeout())
  }

  private func serve(_ ready: [Poll.Result], _ result: inout BenchResult) throws(Failure) {
    try attempt { () throws(HubError) in
      for (link, state) in zip(links, ready) where state.isReady {
        try link.flush()
        pending -= try link.receive(&result.times)
      }
      if let writer, ready[links.count].isReady {
        var unused = BenchTimes()
        try writer.flush()
        pending -= try writer.receive(&unused)
      }
    }
  }
}
