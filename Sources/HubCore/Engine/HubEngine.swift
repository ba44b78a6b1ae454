// The hub as a pure value: frames and time in, replies and due bytes out. It touches no descriptor, clock or thread.
//
// Its owner's turn: `receive` frames of any sessions (replies at once), `expire`, `seal`; then, for each `nextDue` session,
// send what is `due` and report with `sent` how much the connection took; then `end`. `Turn` enforces the order.

/// All of the hub's rules: stores, revisions, watches, catching up.
///
/// Methods on the path of every request or delivery are `mutating` or inlined even where they change nothing: for a call
/// that borrows the engine, the compiler copies all of its thousand bytes to the stack.
public struct HubEngine: ~Copyable {
  public struct Options: Sendable, Equatable {
    /// Refuse to create stores by setting them.
    public var strict = false
    /// The longest frame that is accepted, header included. Frames that are sent can be 64 KiB longer.
    public var maximumFrameLength = Frame.defaultMaximumLength
    /// The size of the change log. At most this many bytes of changes can be replayed to `every` watches.
    public var changeLogBytes = 8 << 20
    public var maximumStores = 1_000_000
    /// The length of all values together.
    public var maximumValueBytes = 1 << 30
    /// Watches that one session may hold, patterns counted singly.
    public var maximumWatches = 100_000
    /// How many removals are remembered for sessions that missed them.
    public var rememberedRemovals = 4096
    /// The durability of stores that name none. Without a journal every store is volatile.
    public var defaultDurability = Durability.relaxed
    /// The owner keeps a journal: see `Journaling`.
    public var journals = false
    /// The program's version, as `welcome` tells it.
    public var release = "0"
    public var pid: UInt32 = 0
    /// The user that the hub runs as: the setter of the hub's own changes.
    public var uid: UInt32 = 0
    /// The engine's owner can reload: `receive` passes such requests on.
    public var canReload = false

    public init() {}
  }

  public let options: Options
  public var counters = ServerCounters()

  var stores: Stores
  var history: History
  var feed = Feed()
  var ledger: Ledger
  /// Where an integer is widened for a double store.
  var widened = OutputBuffer(capacity: 8)
  /// The current request's reply waits for the disk.
  var wantsSync = false
  /// A turn is sealed, and has not ended.
  var isSealed = false
  var tally = Tally()
  let started: Int64

  public init(
    options: Options = Options(), epoch: Epoch = .random(), now: Instant = Instant(wall: 0, boot: 0)
  ) {
    self.options = options
    stores = Stores(defaultDurability: options.journals ? options.defaultDurability : nil)
    history = History(options: options, epoch: epoch)
    ledger = Ledger(journals: options.journals)
    started = now.wall
  }

  public var epoch: Epoch { history.epoch }
  public var revision: Revision { history.revision }
  public var storeCount: Int { stores.count }
  public var sessionCount: Int { feed.sessions.count }
  public var watchCount: Int { feed.sessions.watchCount }

  /// When the next value ends, in CLOCK_BOOTTIME nanoseconds.
  public var nextDeadline: UInt64? { stores.nextDeadline }

  /// The number of stores, the newest revision and the next deadline, for callers that ask every turn: the call copies
  /// nothing.
  public mutating func standing() -> (stores: Int, revision: Revision, deadline: UInt64?) {
    (stores.count, history.revision, stores.nextDeadline)
  }

  // MARK: Sessions

  public mutating func open(_ session: SessionID, peer: Peer, now: Instant) {
    feed.sessions.open(session, peer: peer, now: now)
  }

  /// Ends the session's watches, and its ephemeral values in one transaction.
  public mutating func close(_ session: SessionID, in turn: borrowing Turn, now: Instant) {
    guard feed.sessions.isOpen(session) else { return }
    feed.close(session, &stores)
    endOwned(by: session, now: now)
  }

  /// Who is at the other end of a session.
  public func peer(of session: SessionID) -> Peer { feed.sessions.peer(of: session) }

  public mutating func setUnsent(_ bytes: Int, of session: SessionID) {
    if feed.sessions.isOpen(session) { feed.sessions.setUnsent(bytes, of: session) }
  }

  /// It is connected and has not sent a valid hello. Mutating, so that the call copies nothing.
  public mutating func isGreeting(_ session: SessionID) -> Bool {
    feed.sessions.isOpen(session) && feed.sessions[session].delivery == .greeting
  }

  /// The name in its hello; empty before that, and if there are too many names to keep.
  public func name(of session: SessionID) -> String {
    feed.sessions.isOpen(session) ? feed.sessions.name(of: session) : ""
  }

  /// How many requests it has sent.
  public func requestCount(of session: SessionID) -> UInt64 {
    feed.sessions.isOpen(session) ? UInt64(feed.sessions.info(of: session).requests) : 0
  }

  /// The session's connection takes nothing: no events are offered to it until `release`.
  public mutating func hold(_ session: SessionID) { feed.hold(session, history) }

  /// The session's connection has taken everything that was waiting.
  public mutating func release(_ session: SessionID) { feed.release(session) }
}
