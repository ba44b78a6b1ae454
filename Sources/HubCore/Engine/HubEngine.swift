// The hub as a pure value: frames and time in, replies and due bytes out. It touches no descriptor, clock or thread.
//
// A turn of its owner: `receive` frames of any sessions (replies at once), `expire`, `endTurn`, then for each `nextDue()`
// session send `due(for:)` and tell with `sent` how much the connection took.

/// All of the hub's rules: stores, revisions, watches, catching up.
///
/// Methods that every request or delivery passes through are `mutating` or inlined even where they change nothing: for a
/// call that borrows it, the compiler copies the engine to the stack, all of its thousand bytes.
public struct HubEngine: ~Copyable {
  public struct Options: Sendable, Equatable {
    /// Refuse to create stores by setting them.
    public var strict = false
    /// The longest frame that is taken, header included. Frames that are sent can be 64 KiB longer.
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
    /// The owner keeps a journal: see `HubEngine+Journal`.
    public var journals = false
    /// The program's version, as `welcome` tells it.
    public var release = "0"
    public var pid: UInt32 = 0
    /// The user that the hub runs as: the setter of what the hub does itself.
    public var uid: UInt32 = 0
    /// Whoever owns the engine can reload: `receive` passes such requests on.
    public var canReload = false

    public init() {}
  }

  public let options: Options
  public private(set) var epoch: Epoch
  public internal(set) var revision: Revision = 0
  public var counters = ServerCounters()

  var stores: StoreTable
  var patterns = PatternTable()
  var sessions = SessionTable()
  var log: ChangeLog
  var removals: Removals
  var lifetimes = Lifetimes()
  var names = SortedNames()
  var tally = Tally()

  /// Everything up to here was offered to live sessions.
  var turnStart: UInt64
  /// Stores that this turn changed, as far as it matters: none, one, or several (`-2`).
  var turnSlot: Int32 = -1
  var turnHasGroup = false
  /// Where this turn's changes end; the `synced` that closes the turn lies behind it.
  var turnChangesEnd: UInt64 = 0
  /// Hands out the live watchers of the only pattern that this turn changed.
  var walk = WatcherWalk()
  /// Other sessions that are due, and how many of them were handed out.
  var queue = Table<Int32>()
  var queueHead = 0

  /// Where due bytes are put together that do not lie in the log in one piece.
  var scratch = OutputBuffer(capacity: 4096)
  /// What `scratch` holds, frame by frame.
  var marks: [DeliveryMark] = []
  /// What was offered last, for `sent`.
  var offer = Offer.nothing
  /// What this turn's live sessions of one pattern get.
  var run = TurnRun()
  /// Where an integer for a double store is widened.
  var widened = OutputBuffer(capacity: 8)
  /// Where a walk through several orders stands.
  var cursors: [OrderCursor] = []
  var undo = UndoLog()
  var outbox = JournalOutbox()
  /// The reply of this request waits for the disk.
  var wantsSync = false
  let started: Int64

  public init(
    options: Options = Options(), epoch: Epoch = .random(), now: Instant = Instant(wall: 0, boot: 0)
  ) {
    self.options = options
    self.epoch = epoch
    stores = StoreTable(defaultDurability: options.journals ? options.defaultDurability : nil)
    log = ChangeLog(capacity: options.changeLogBytes)
    removals = Removals(limit: options.rememberedRemovals)
    turnStart = log.head
    started = now.wall
  }

  public var storeCount: Int { stores.count }
  public var sessionCount: Int { sessions.count }
  public var watchCount: Int { sessions.watchCount }

  /// When the next value ends, in CLOCK_BOOTTIME nanoseconds.
  public var nextDeadline: UInt64? { lifetimes.earliest?.time }

  /// The number of stores and the next deadline, for whoever asks every turn: a call that copies nothing.
  public mutating func standing() -> (stores: Int, deadline: UInt64?) {
    (stores.count, lifetimes.earliest?.time)
  }

  /// Replies and events since the turn's first write to a persistent store have to wait for the journal. No request but reads
  /// and writes may be carried out until then: see `mustWait`.
  public internal(set) var awaitsJournal = false

  /// This turn's changes fill a good part of the log: end the turn before it overruns those who want every change.
  public internal(set) var wantsTurnEnd = false

  // MARK: Sessions

  public mutating func open(_ session: SessionID, peer: Peer, now: Instant) {
    sessions.open(session, peer: peer, now: now)
  }

  /// Ends the session's watches, and its ephemeral values in one transaction.
  public mutating func close(_ session: SessionID, now: Instant) {
    guard sessions.isOpen(session) else { return }
    while sessions[session].firstWatch >= 0 { drop(watch: sessions[session].firstWatch) }
    sessions.close(session)
    endOwned(by: session, now: now)
  }

  /// Who is at the other end of a session.
  public func peer(of session: SessionID) -> Peer { sessions.peer(of: session) }

  public mutating func setUnsent(_ bytes: Int, of session: SessionID) {
    if sessions.isOpen(session) { sessions.setUnsent(bytes, of: session) }
  }
}
