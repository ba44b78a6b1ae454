// Owns the traffic between connections and the engine: requests in, replies and events out, the turn's write between them.

import HubCore
import HubEngine
import HubSystem

/// The hub without its event sources. The loop decides the order.
struct Exchange: ~Copyable {
  var options: ServerOptions
  var engine: HubEngine
  var connections: Connections
  var gate = ReplyGate()
  /// Sessions can ask for a reload as well.
  var reloading: Reloading
  /// Nil: nothing is kept on disk. This is the only such flag.
  let journal: Journal?
  var log: Log
  var reminders = Reminders()
  let reader: FrameReader
  /// The requests that `noteFigures` is for are of this kind, `clients`, and the next, `stats`. Every request is compared.
  let firstFiguresKind = RequestKind.clients.rawValue
  /// The time of this turn.
  var now: Instant
  /// The replies to one session, until they are sent at the end of its step.
  var replies = OutputBuffer(capacity: Exchange.repliesCapacity)
  /// This turn has enough changes.
  var isTurnFull = false
  /// What the steps of handing out this turn have cost so far, in the engine's units.
  var handedOut = 0
  var memoryReturn = MemoryReturn()
  private var groupMemory = GroupMemory()
  /// The journal is gathering writes for a sync, which the next turn without any begins.
  var isGathering = false
  /// A snapshot is in progress, as far as the log knows.
  var isSnapshotting = false

  private static let repliesCapacity = 64 << 10
  /// The size above which the buffer for replies frees memory. An answer of 1 MB takes 200 us with memory at hand, and 730 with
  /// memory fresh from the system.
  private static let keptRepliesCapacity = 2 << 20

  /// - Parameter limit: descriptors are below this.
  init(
    _ beginning: consuming Beginning, _ poller: consuming Poller, descriptors limit: Int, _ log: Log,
    now: Instant
  ) throws(ServerError) {
    let options = beginning.options
    var connections = try Connections(
      poller, descriptors: limit, maxClients: options.maxClients, heldBytes: options.heldBytes,
      bufferBytes: options.sendBufferBytes,
      UserLimits(options))
    reloading = Reloading(
      program: Program.current.path, running: Program.current.file, callers: beginning.server?.callers ?? [])
    journal = beginning.journal
    engine = (consume beginning).engine
    journal?.leastBytes = options.snapshotThresholdBytes
    reader = FrameReader(maximumLength: options.engine.maximumFrameLength)
    connections.turnStart = now.boot
    self.connections = connections
    self.options = options
    self.log = log
    self.now = now
  }

  // MARK: Replies

  /// Sends the replies of this step to their session, unless they must wait at the gate.
  @inline(__always)
  mutating func flushReplies(to descriptor: Int32) {
    if replies.isEmpty { return gate.endStep() }
    engine.noteCopied(replies.count)
    if log.isDebugging { logReplies(to: descriptor) }
    if gate.isOpen(for: connections[descriptor].waiting) {
      flushNow(to: descriptor)
    } else {
      passReplies(of: descriptor)
    }
  }

  @inline(__always)
  mutating func flushNow(to descriptor: Int32) {
    connections.send(replies.view, to: descriptor, &engine)
    clearReplies()
  }

  mutating func clearReplies() { replies.clear(keeping: Exchange.keptRepliesCapacity) }

  /// Sends a reply to a session after everything that waits for it.
  mutating func tell(_ reply: Reply, request: UInt32 = 0, to descriptor: Int32) {
    reply.encode(into: &replies, request: request)
    flushReplies(to: descriptor)
  }

  /// Sends the outcome of a reload to its callers.
  mutating func answer(_ callers: [ServerImage.Caller], _ reply: Reply) {
    for caller in callers where connections[caller.connection].life != .free {
      tell(reply, request: caller.request, to: caller.connection)
    }
  }

  // MARK: Figures

  /// The hub's state for the service manager.
  var facts: ServiceFacts { mutating get { standing().facts } }

  /// The same, and the next deadline of a value.
  @inline(__always)
  mutating func standing() -> (facts: ServiceFacts, deadline: UInt64?) {
    let standing = engine.standing()
    let facts = ServiceFacts(
      stores: standing.stores, clients: connections.count, revision: standing.revision,
      diskTrouble: journal?.notes.trouble)
    return (facts, standing.deadline)
  }

  /// A client requests counters; the engine shows the latest it was given.
  @inline(never)
  mutating func noteFigures(for frame: FrameView, of session: SessionID) {
    if frame.kind == .request(.stats) { return noteFigures() }
    noteUse()
    for other in engine.withoutOrigin(frame, by: session) {
      engine.setOrigin(.ofPeer(at: other.raw), of: other)
    }
  }

  mutating func noteFigures() {
    if let journal { engine.monitoring.counters.journal = journal.figures }
    engine.monitoring.counters.limits =
      connections.limits + [groupMemory.current(at: now.boot)].compactMap(\.self)
  }

  /// What the connections have cost, and keep.
  mutating func noteUse() {
    for descriptor in 0..<connections.limit where connections[descriptor].life != .free {
      engine.setUse(connections[descriptor].use, of: SessionID(raw: descriptor))
    }
  }
}
