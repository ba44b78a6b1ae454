// Waiters for a lock, as `LockQueue` decides for them, on a hub in memory. A test decides the order in which requests are
// executed, and answers and events arrive.

import HubCore
import HubEngine
import TestSupport

@testable import statectl

struct LockHarness: ~Copyable {
  struct Waiter {
    /// The order of arrival.
    let number: Int
    let most: Int?
    /// It gives up instead of joining the queue.
    let isImpatient: Bool
    var queue: LockQueue
    var session: SessionID
    var outbox: [(id: UInt32, request: Request)] = []
    var inbox: [Message] = []
    /// What arrived while an answer was awaited.
    var kept: [HubEvent] = []
    var awaited: UInt32?
    /// It follows other stores now, and waits until those of this revision are shown.
    var following: Revision?
    var isFollowing = false
    var watch: UInt32?
    var lastRequest: UInt32 = 10
    /// When the hub executed its first request, and when its ticket appeared: in requests that the hub has executed.
    var began: Int?
    var queued: Int?
    var holds = false
  }

  private var engine: HubEngine
  private let now = Instant(wall: 1_700_000_000_000_000_000, boot: 1_000_000_000)
  private(set) var waiters: [Waiter] = []
  private var lastNumber = -1
  private var lastSession: Int32 = 1
  /// Requests that were executed.
  private(set) var executed = 0
  /// Waiters whose connection was sent something.
  var woken: Set<Int> = []
  /// What is wrong.
  private(set) var problems: [String] = []
  /// Someone has removed tickets: their order means nothing.
  private var isDisturbed = false
  private let outsider = SessionID(raw: 1)

  init() {
    engine = LockHarness.makeEngine(1)
    connect(outsider)
  }

  private static func makeEngine(_ number: UInt64) -> HubEngine {
    var options = HubEngine.Options()
    options.changeLogBytes = 1 << 14
    return HubEngine(options: options, epoch: Epoch(high: number, low: 1))
  }

  /// The first of those that have the lock.
  var holder: Int? { waiters.firstIndex(where: \.holds) }

  /// What the hub has done.
  var work: Int { engine.work }

  // MARK: What happens

  /// - Returns: its number.
  @discardableResult
  mutating func arrive(_ most: Int?, isImpatient: Bool = false) throws -> Int {
    lastNumber += 1
    let lock = try LockClaim(StoreName("a"), most: most, command: "true")
    waiters.append(
      Waiter(
        number: lastNumber, most: most, isImpatient: isImpatient, queue: LockQueue(lock),
        session: newSession()))
    try start(waiters.count - 1)
    return lastNumber
  }

  /// Its process ends, or releases the lock.
  mutating func end(_ index: Int) {
    _ = engine.close(waiters[index].session, in: engine.openTurn(), now: now)
    waiters.remove(at: index)
  }

  /// The first of those that have the lock releases it.
  mutating func release() throws {
    guard let holder else { throw TestFailure("nobody has a lock that some wait for") }
    end(holder)
  }

  /// Its connection is lost, and comes back: a waiter starts again, a holder has lost the lock.
  mutating func reconnect(_ index: Int) throws {
    if waiters[index].holds { return end(index) }
    let old = waiters[index]
    _ = engine.close(old.session, in: engine.openTurn(), now: now)
    waiters[index] = Waiter(
      number: old.number, most: old.most, isImpatient: old.isImpatient, queue: old.queue,
      session: newSession())
    try start(index)
  }

  /// The hub is killed, and another one knows nothing.
  mutating func crash() throws {
    engine = LockHarness.makeEngine(engine.epoch.high + 1)
    connect(outsider)
    waiters.removeAll { $0.holds }
    for index in waiters.indices {
      let old = waiters[index]
      waiters[index] = Waiter(
        number: old.number, most: old.most, isImpatient: old.isImpatient, queue: old.queue,
        session: newSession())
      try start(index)
    }
  }

  /// Someone removes a store of the queue.
  mutating func disturb(_ index: Int?) throws {
    isDisturbed = true
    let store = try index.flatMap { waiters[$0].queue.ticket?.store } ?? StoreName("a.queue")
    _ = receive(.write(.remove(.name(store))), 9, from: outsider)
  }

  // MARK: The hub

  /// Executes the next request of a waiter.
  ///
  /// - Returns: whether there was one.
  mutating func execute(_ index: Int) -> Bool {
    guard !waiters[index].outbox.isEmpty else { return false }
    let (id, request) = waiters[index].outbox.removeFirst()
    executed += 1
    if waiters[index].began == nil { waiters[index].began = executed }
    woken.insert(waiters[index].number)
    guard let reply = receive(request, id, from: waiters[index].session) else { return true }
    waiters[index].inbox.append(.reply(reply, id: id))
    switch (request, reply) {
    case (.transaction, .committed): hold(index)
    case (.write(.set(let store, _, _, _, _)), .written):
      if case .name(let name) = store, name.text.hasPrefix("a.queue.") { waiters[index].queued = executed }
    default: break
    }
    return true
  }

  private mutating func hold(_ index: Int) {
    waiters[index].holds = true
    let holders = waiters.filter(\.holds)
    if holders.count > 1, holders.contains(where: { $0.most == nil }) {
      problems.append("an exclusive holder and another: \(holders.map(\.number))")
    }
    if let most = waiters[index].most, holders.count > most {
      problems.append("\(holders.count) holders, not \(most)")
    }
    let taker = waiters[index]
    for other in waiters where !isDisturbed && !other.holds {
      if let queued = other.queued, let began = taker.began, queued < began {
        problems.append(
          "\(taker.number) began after \(other.number) had a ticket, and has the lock before it")
      }
    }
  }

  /// Ends the hub's turn: events arrive.
  mutating func turn() {
    let turn = engine.seal(engine.openTurn())
    while let session = engine.nextDue(in: turn) {
      let index = waiters.firstIndex { $0.session == session }
      while true {
        let due = engine.due(for: session, in: turn)
        if due.isEmpty { break }
        var cursor = FrameCursor(due)
        while let frame = cursor.next() {
          guard let index, let event = try? HubEvent(decoding: frame) else { continue }
          waiters[index].inbox.append(.event(event))
          woken.insert(waiters[index].number)
        }
        _ = engine.sent(due.count, to: session, in: turn)
      }
    }
    engine.end(turn)
  }

  private mutating func connect(_ session: SessionID) {
    engine.open(session, peer: Peer(pid: 42, uid: 1000, gid: 100), now: now)
    _ = receive(.hello(name: "lock"), 1, from: session)
  }

  private mutating func newSession() -> SessionID {
    lastSession += 1
    connect(SessionID(raw: lastSession))
    return SessionID(raw: lastSession)
  }

  private mutating func receive(_ request: Request, _ id: UInt32, from session: SessionID) -> Reply? {
    var frame = OutputBuffer()
    request.encode(into: &frame, id: id)
    var replies = OutputBuffer()
    _ = frame.array.withByteView { bytes in
      engine.receive(
        FrameView(bytes: bytes), from: session, in: engine.openTurn(), now: now, into: &replies)
    }
    var frames = FrameCursor(replies.view)
    return frames.next().flatMap { try? Reply(decoding: $0) }
  }

  // MARK: The waiters

  private mutating func start(_ index: Int) throws { try perform(waiters[index].queue.start(), index) }

  /// Lets a waiter take the next thing that has arrived. One that gives up ends.
  ///
  /// - Returns: whether there was anything.
  mutating func deliver(_ index: Int) throws -> Bool {
    guard !waiters[index].inbox.isEmpty else { return false }
    switch waiters[index].inbox.removeFirst() {
    case .event(let event):
      waiters[index].kept.append(event)
      if waiters[index].awaited == nil { try takeEvents(index) }
    case .reply(let reply, let id):
      guard waiters[index].awaited == id else { break }
      waiters[index].awaited = nil
      if waiters[index].isFollowing {
        guard case .watching(let start) = reply else { throw TestFailure("\(reply)") }
        waiters[index].isFollowing = false
        waiters[index].following = start
        waiters[index].kept = []
        waiters[index].queue.open(epoch: engine.epoch)
        try takeEvents(index)
      } else {
        let answer: Result<Reply, Failure> =
          if case .error(let error) = reply { .failure(.hub(error)) } else { .success(reply) }
        try perform(waiters[index].queue.take(answer, epoch: engine.epoch), index)
      }
    case .request: break
    }
    return true
  }

  private mutating func takeEvents(_ index: Int) throws {
    while !waiters[index].kept.isEmpty, !waiters[index].holds {
      let event = waiters[index].kept.removeFirst()
      let isWhole = waiters[index].queue.take(event)
      if let start = waiters[index].following {
        guard case .synced(let revision) = event, revision >= start else { continue }
        waiters[index].following = nil
        return try perform(waiters[index].queue.look(), index)
      }
      if isWhole { return try perform(waiters[index].queue.look(), index) }
    }
  }

  private mutating func perform(_ step: LockQueue.Step, _ index: Int) throws {
    switch step {
    case .ask(let request): waiters[index].awaited = waiters[index].send(request)
    case .take(let request):
      _ = waiters[index].follow([NamePattern(waiters[index].queue.lock.holder)])
      waiters[index].awaited = waiters[index].send(request)
    case .follow(let patterns):
      waiters[index].isFollowing = true
      waiters[index].awaited = waiters[index].follow(patterns)
    case .wait: try takeEvents(index)
    case .pause: try perform(waiters[index].queue.look(), index)
    case .join where waiters[index].isImpatient: end(index)
    case .retry where waiters[index].isImpatient: try start(index)
    case .join, .retry: try perform(waiters[index].queue.join(), index)
    case .held:
      if let ticket = waiters[index].queue.ticket {
        _ = waiters[index].send(.write(.remove(.name(ticket.store))))
      }
    }
  }

  /// Lets everything happen that is on its way.
  ///
  /// - Throws: if it does not come to an end.
  mutating func settle() throws {
    for _ in 0..<10_000 {
      var isQuiet = true
      for index in waiters.indices {
        while execute(index) { isQuiet = false }
      }
      turn()
      // Some give up on the way, and those after them move up.
      for index in waiters.indices.reversed() {
        let number = waiters[index].number
        while index < waiters.count, waiters[index].number == number, try deliver(index) { isQuiet = false }
      }
      if isQuiet { return }
    }
    throw TestFailure("the waiters do not come to rest")
  }
}

extension LockHarness.Waiter {
  mutating func send(_ request: Request) -> UInt32 {
    lastRequest += 1
    outbox.append((lastRequest, request))
    return lastRequest
  }

  mutating func follow(_ patterns: [NamePattern]) -> UInt32 {
    if let watch { _ = send(.unwatch(watch)) }
    let id = send(.watch(patterns, policy: .every))
    watch = id
    return id
  }
}
