// The hub as a pure value: frames and time in, replies and due bytes out. It touches no descriptor, clock or thread.
//
// Its owner's turn: `receive` frames of any sessions (replies at once), `expire`, `seal`; then, for each `nextDue` session,
// send what is `due` and report with `sent` how much the connection took; then `end`. `Turn` enforces the order.

package import HubCore

/// All of the hub's rules: stores, revisions, watches, catching up.
///
/// Methods on the path of every request or delivery are `mutating` or inlined even where they change nothing: for a call
/// that borrows the engine, the compiler copies all of its thousand bytes to the stack.
package struct HubEngine: ~Copyable {
  package struct Options: Sendable, Equatable {
    /// Refuse to create stores by setting them.
    package var requiresDeclaration = false
    /// The longest frame that is accepted, header included. Frames that are sent can be 64 KiB longer.
    package var maximumFrameLength = Frame.defaultMaximumLength
    /// The size of the change log. At most this many bytes of changes can be replayed to `every` watches.
    package var changeLogBytes = 32 << 20
    /// The size of the history for `log`: see `Chronicle`. 0: nothing is kept.
    package var historyBytes = 0
    package var maximumStores = 1_000_000
    /// Stores that one user may create.
    package var maximumUserStores = 250_000
    /// Memory that may be charged to all users together, in bytes of `MemoryCost`.
    package var maximumMemory = 2 << 30
    /// Memory that may be charged to one user.
    package var maximumUserMemory = 128 << 20
    /// Watches that one session may hold, patterns counted singly. A session with all of them that begins to watch, or
    /// falls behind, takes about 1 ms in one step.
    package var maximumWatches = 10_000
    /// What is left of a frame in the change log is sent from there from this length on, and a shorter rest is copied; sessions
    /// that are behind get such frames from there as well.
    package var longFrame = 4 << 10
    /// How many removals are remembered for sessions that missed them.
    package var rememberedRemovals = 4096
    /// The durability of stores that name none. Without a journal every store is volatile.
    package var defaultDurability = Durability.relaxed
    /// The owner keeps a journal: see `Journaling`.
    package var journals = false
    /// The work, in units of `Effort`, after which a request that takes long is put off: its sender asks again in a
    /// later turn. `.max`: every request is executed at once.
    package var stepWork = Int.max
    /// The program's version, as in `welcome`.
    package var release = "0"
    package var pid: UInt32 = 0
    /// The user that the hub runs as: the writer of the hub's own changes.
    package var uid: UInt32 = 0
    /// Its group: the access rules' `members`.
    package var gid: UInt32 = 0
    /// The access rules at the start.
    package var access = AccessRules()
    /// The engine's owner can reload: `receive` passes such requests on.
    package var canReload = false

    package init() {}
  }

  /// `apply` alone changes them.
  package internal(set) var options: Options
  var stores: Stores
  var history: History
  var feed: Feed
  var ledger: Ledger
  /// The stores that providers own.
  var claims = Claims()
  package var monitoring: Monitoring
  /// Rare conditions that every request must check.
  var attention = Attention()
  /// A turn is sealed, and has not ended.
  @inline(__always)
  var isSealed: Bool {
    get { attention.isSealed }
    set { attention.isSealed = newValue }
  }
  /// The writers of changes are recorded, for the history or for a monitor.
  private(set) var isObserved = false

  mutating func noteObservers() {
    attention.isMonitored = !monitoring.monitors.isEmpty
    isObserved = attention.isMonitored || history.chronicle.isKept
  }
  /// The work that requests and sessions have cost so far, in units of `Effort`.
  package internal(set) var work = 0

  package init(
    options: Options = Options(), epoch: Epoch = .random(), now: Instant = Instant(wall: 0, boot: 0)
  ) {
    self.options = options
    stores = Stores(options)
    history = History(options: options, epoch: epoch)
    feed = Feed(stepWork: options.stepWork, longFrame: options.longFrame)
    ledger = Ledger(journals: options.journals, longestCopy: options.longFrame)
    monitoring = Monitoring(started: now.wall)
    noteObservers()
  }

  package var epoch: Epoch { history.epoch }
  package var revision: Revision { history.revision }
  package var storeCount: Int { stores.count }
  package var sessionCount: Int { feed.sessions.count }
  package var watchCount: Int { feed.sessions.watchCount }

  /// The next step has work, whatever happens: changes must still be noted or handed out, or patterns cleaned up.
  @inline(__always)
  package var hasWork: Bool {
    mutating get {
      attention.isNeeded
        && (isSealed || attention.hasClaims && (claims.hasWork || !feed.patterns.newUses.isEmpty))
        || feed.isLagging
        || feed.patterns.isUntidy || feed.patterns.hasUntended
    }
  }

  /// When the next value ends, the next session's interval or deadline, or the time of a write that waits for its provider, in
  /// CLOCK_BOOTTIME nanoseconds.
  package var nextDeadline: UInt64? {
    attention.hasDeadlines ? earliestDeadline : stores.nextDeadline
  }

  private var earliestDeadline: UInt64? {
    HubEngine.earlier(stores.nextDeadline, min(claims.nextDeadline, feed.nextAlarm))
  }

  /// - Parameter other: `.max`: there is none.
  private static func earlier(_ deadline: UInt64?, _ other: UInt64) -> UInt64? {
    other == .max ? deadline : min(deadline ?? .max, other)
  }

  /// Whether the time of a value, or a session's interval or deadline, is up: `expire` has work.
  @inline(__always)
  package mutating func hasEnded(by boot: UInt64) -> Bool {
    stores.nextDeadline.map { $0 <= boot } ?? false || attention.hasFilters && feed.nextAlarm <= boot
  }

  /// The number of stores, the newest revision and the next deadline, for callers that ask every turn: the call copies
  /// nothing.
  package mutating func standing() -> (stores: Int, revision: Revision, deadline: UInt64?) {
    var deadline = stores.nextDeadline
    if attention.hasDeadlines { deadline = earliestDeadline }
    return (stores.count, history.revision, deadline)
  }

  // MARK: Sessions

  /// - Parameters:
  ///   - groups: the peer's supplementary groups, needed if `hasRules`.
  ///   - origin: its unit and app, needed if `namesPrograms`; nil: not known yet.
  ///   - socket: the additional socket that it used, one of the rules' `sockets`; nil: the hub's own.
  package mutating func open(
    _ session: SessionID, peer: Peer, groups: [UInt32] = [], origin: PeerOrigin? = PeerOrigin(),
    at socket: String? = nil, now: Instant
  ) {
    feed.sessions.open(session, peer: peer, origin: origin, now: now)
    guard let table = stores.permissions.table else {
      return precondition(socket == nil, "only access rules limit what a socket allows")
    }
    let identity = table.identity(of: peer, groups: groups, at: socket, origin: origin ?? PeerOrigin())
    feed.sessions.setAudience(stores.permissions.enter(identity, work: &work), of: session)
  }

  /// The additional socket that a session used; nil: the hub's own.
  package func socket(of session: SessionID) -> String? {
    stores.permissions.limit(of: feed.sessions.audience(of: session))?.name
  }

  /// There are access rules.
  package var hasRules: Bool { mutating get { stores.permissions.table != nil } }

  /// There are access rules that name units or apps.
  package var namesPrograms: Bool { mutating get { stores.permissions.table?.namesPrograms ?? false } }

  /// Takes a step towards the session's end: ends its watches, then its ephemeral values, as many in one
  /// transaction as a step's work allows.
  ///
  /// - Returns: whether it has ended; if not, the next turn must ask again. Without `stepWork`, it has.
  @discardableResult
  package mutating func close(_ session: SessionID, in turn: borrowing Turn, now: Instant) -> Bool {
    guard feed.sessions.isOpen(session) else { return true }
    feed.clock = now.boot
    if feed.isLagging || isSealed { return false }
    var effort = Effort(options.stepWork)
    defer { work &+= effort.spent }
    guard !attention.hasClaims || leaveClaims(session, now: now, &effort),
      feed.clear(session, &stores, &effort), endOwned(by: session, now: now, &effort)
    else {
      return false
    }
    stores.permissions.leave(feed.sessions.audience(of: session))
    stores.accounts.refund(feed.sessions.connectionCharge(of: session))
    feed.sessions.close(session)
    attention.hasFilters = !feed.filters.isEmpty
    attention.hasRestricted = feed.sessions.restrictedCount > 0
    if attention.isMonitored {
      monitoring.endMonitoring(by: session)
      noteObservers()
    }
    if feed.reducing == session { feed.reducing = nil }
    return true
  }

  /// The session has been opened, and has not ended.
  package func isOpen(_ session: SessionID) -> Bool { feed.sessions.isOpen(session) }

  /// Who is at the other end of a session.
  package func peer(of session: SessionID) -> Peer { feed.sessions.peer(of: session) }

  /// Its unit and its app, as far as they are known.
  package func origin(of session: SessionID) -> PeerOrigin {
    feed.sessions.origin(of: session) ?? PeerOrigin()
  }

  /// Notes the origin of a session that was opened without, for `clients`.
  package mutating func setOrigin(_ origin: PeerOrigin, of session: SessionID) {
    work &+= Cost.origin
    feed.sessions.setOrigin(origin, of: session)
  }

  /// Counts bytes copied for a session, besides its requests: replies, and input kept for later.
  @inline(__always)
  package mutating func noteCopied(_ count: Int) { work &+= Cost.bytes(count) }

  /// Counts list entries skipped to end a session.
  @inline(__always)
  package mutating func noteLooks(_ count: Int) { work &+= Cost.passed &* count }

  /// What is left of a frame for its connection; valid until the engine's next mutation.
  package func bytes(of rest: FrameRest) -> ByteView { history.log.bytes(of: rest) }

  /// What the frames and values take that connections still need, and neither the change log nor the stores, in bytes.
  package var bytesAside: Int { mutating get { history.log.bytesAside + stores.bytesAside } }

  /// The frames copied so far are within bounds.
  package mutating func noteAsideChecked() { stores.hasSetAside = false }

  package mutating func setUnsent(_ bytes: Int, of session: SessionID) {
    if feed.sessions.isOpen(session) { feed.sessions.setUnsent(bytes, of: session) }
  }

  /// Sets what `clients` shows of a session besides the engine's own counters.
  package mutating func setUse(_ use: SessionUse, of session: SessionID) {
    if feed.sessions.isOpen(session) { feed.sessions.setUse(use, of: session) }
  }

  /// It is connected and has not sent a valid hello. Mutating, so that the call copies nothing.
  package mutating func isGreeting(_ session: SessionID) -> Bool {
    feed.sessions.isOpen(session) && feed.sessions[session].delivery == .greeting
  }

  /// The name in its hello; empty before that.
  package func name(of session: SessionID) -> String {
    feed.sessions.isOpen(session) ? feed.sessions.name(of: session) : ""
  }

  /// How many requests it has sent.
  package func requestCount(of session: SessionID) -> UInt64 {
    feed.sessions.isOpen(session) ? feed.sessions.info(of: session).requests : 0
  }

  /// The session's connection takes nothing: no events are offered to it until `resumeDelivery`.
  package mutating func pauseDelivery(to session: SessionID) {
    guard feed.sessions.isOpen(session) else { return }
    // It leaves the lists of all of its patterns, and will join them again.
    if feed.sessions[session].delivery == .live {
      work &+= 2 * Cost.membership * feed.sessions.watchCount(of: session)
    }
    feed.pauseDelivery(to: session, from: history.turn.start)
  }

  /// The session's connection has taken everything that was waiting.
  package mutating func resumeDelivery(to session: SessionID) { feed.resumeDelivery(to: session) }
}
