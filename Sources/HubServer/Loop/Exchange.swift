// Owns what passes between connections and the engine: requests in, replies and events out, the turn's write between them.

import Glibc
import HubCore

/// The hub without what wakes it. What it does in which order is the loop's.
struct Exchange: ~Copyable {
  let options: ServerOptions
  var engine: HubEngine
  var connections: Connections
  var gate = ReplyGate()
  /// Sessions ask for it, too.
  var reloading: Reloading
  /// Nil: nothing is kept on disk. The only place that says so.
  let journal: Journal?
  var log: Log
  let reader: FrameReader
  /// The time of this turn.
  var now: Instant
  /// The replies to one session, until they are sent at the end of its step.
  var replies = OutputBuffer(capacity: Exchange.repliesCapacity)
  /// This turn has changed enough.
  var isTurnFull = false
  /// A snapshot is in the making, as far as the log knows.
  var isSnapshotting = false

  private static let repliesCapacity = 64 << 10
  /// The size above which the buffer for replies gives memory back.
  private static let keptRepliesCapacity = 256 << 10

  /// - Parameter limit: descriptors are below.
  init(
    _ beginning: consuming Beginning, _ poller: consuming Poller, descriptors limit: Int, _ log: Log,
    now: Instant
  ) throws(ServerError) {
    let options = beginning.options
    let connections = try Connections(
      poller, descriptors: limit, maxClients: options.maxClients, heldBytes: options.heldBytes)
    reloading = Reloading(callers: beginning.server?.callers ?? [])
    journal = beginning.journal
    engine = (consume beginning).engine
    journal?.earlier = engine.counters.journal
    journal?.leastBytes = options.journalBytes
    reader = FrameReader(maximumLength: options.engine.maximumFrameLength)
    self.connections = connections
    self.options = options
    self.log = log
    self.now = now
  }

  // MARK: Replies

  /// Sends the replies of this step to the session that they are for, unless they have to wait at the gate.
  @inline(__always)
  mutating func flushReplies(to descriptor: Int32) {
    if replies.isEmpty { return gate.endStep() }
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

  /// Has a session told something behind all that waits for it.
  mutating func tell(_ reply: Reply, request: UInt32 = 0, to descriptor: Int32) {
    reply.encode(into: &replies, request: request)
    flushReplies(to: descriptor)
  }

  /// Tells those who asked for the reload what came of it.
  mutating func answer(_ callers: [ServerImage.Caller], _ reply: Reply) {
    for caller in callers where connections[caller.connection].life != .free {
      tell(reply, request: caller.request, to: caller.connection)
    }
  }

  // MARK: Figures

  /// What the service manager is told of the hub.
  var facts: ServiceFacts { mutating get { standing().facts } }

  /// The same, and when the next value ends.
  @inline(__always)
  mutating func standing() -> (facts: ServiceFacts, deadline: UInt64?) {
    let standing = engine.standing()
    let facts = ServiceFacts(
      stores: standing.stores, clients: connections.count, revision: standing.revision)
    return (facts, standing.deadline)
  }

  /// Somebody asks for the figures, which the engine shows as it was told them last.
  @inline(never)
  mutating func noteFigures() {
    if let journal { engine.counters.journal = journal.figures }
  }
}
