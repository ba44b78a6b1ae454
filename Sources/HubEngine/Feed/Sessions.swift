// The engine's state of each connection: its identity, its watches, and how far it has read. It does not send.

import HubCore

/// How events reach a session. `SessionTable.move` alone assigns it.
///
///     closed ─ greeting ─ idle ─ behind ─ live      a watch begins, everything was sent; and back: a watch begins,
///                           └───── paused ──┘       the turn went over the session's head, the last watch ended
///
/// A session is paused from `idle`, `behind` and `live`, and resumed to `idle` or `behind`. One with an interval between its
/// events is `resting` between `behind` and `behind` or `live`, and also resumed to that. Any state can end as `closed`.
enum Delivery: UInt8 {
  /// The slot is free.
  case closed
  /// Connected, has not said hello.
  case greeting
  /// Watches nothing.
  case idle
  /// Has everything up to the turn's start; is in its patterns' watcher lists.
  case live
  /// Has everything up to its position and catches up from there; is in no watcher list.
  case behind
  /// As `behind`, but its connection currently accepts nothing.
  case paused
  /// Has everything up to its position, and gets nothing before its interval ends; is in no watcher list.
  case resting
}

/// Which changes a session is sent, after all of its watches.
enum DeliveryPolicy: UInt8 {
  /// The newest of each store.
  case latest
  case every
  /// Those that its filter lets through: see `Filters`.
  case filtered
}

/// The part of a session that fan-out touches.
struct Subscriber {
  /// Everything up to here was sent; to a live session also everything up to the turn's start.
  var position: UInt64 = 0
  /// The first of its watches, -1: none.
  var firstWatch: Int32 = -1
  /// The one pattern that made it due this turn, or one of the two constants below.
  var dueIndex: Int32 = Subscriber.notDue
  fileprivate(set) var delivery: Delivery = .closed
  fileprivate(set) var policy = DeliveryPolicy.latest
  /// It gets every change, not only the newest.
  var every: Bool { @inline(__always) get { policy == .every } }
  /// It gets schemas along with values.
  var schemas = false
  /// In the queue of due sessions.
  var isQueued = false
  /// Something was sent that no `synced` has covered yet.
  var owesSync = false
  /// No `synced` has covered a new watch, or one that resumes, yet: the client may not know its stores' names, and is at no
  /// state that existed.
  var isIntroducing = false
  /// It must be reset: the hub no longer remembers what it missed.
  var mustForget = false

  static let notDue: Int32 = -1
  static let several: Int32 = -2
}

/// The part that only `clients` and permissions read.
struct SessionInfo {
  var peer = Peer(pid: 0, uid: 0, gid: 0)
  /// Nil: not looked up yet.
  var origin: PeerOrigin?
  var since: Int64 = 0
  var requests: UInt64 = 0
  var unsent: UInt32 = 0
  var catchUps: UInt32 = 0
  /// What its requests have cost, and the bytes that are kept for it: as of the owner's last report.
  var use = SessionUse()
  var audience = Permissions.everything
  /// What it has kept of its rights; nil: all.
  fileprivate(set) var restriction: Restriction?
  /// What its connection counts to its user, in bytes.
  var memory = 0
  /// Its watches, those that get every change, those that get schemas, and those with a filter.
  var watches: (all: Int32, every: Int32, schemas: Int32, filtered: Int32) = (0, 0, 0, 0)
  /// The highest number of a request that has opened a watch. A client that counts its requests opens none again.
  var highestWatch: UInt32 = 0
}

/// What the engine's owner last reported about a session, for `clients`.
package struct SessionUse: Sendable {
  /// In units of `Effort`, about nanoseconds.
  package var cost: UInt64 = 0
  package var held = 0

  package init(cost: UInt64 = 0, held: Int = 0) { (self.cost, self.held) = (cost, held) }
}

/// Invariant: a session's watches form a list; exactly those of a live session have an index in their pattern's watcher
/// list, or are led by one that has.
struct SessionTable: ~Copyable {
  private var subscribers = Table<Subscriber>()
  private var infos = Table<SessionInfo>()
  private var watches = Pool<Watch>()
  /// By session: the name in its hello, at most 255 bytes.
  private var names: [String] = []
  private(set) var count = 0
  private(set) var watchCount = 0
  /// How many sessions are restricted.
  private(set) var restrictedCount = 0

  subscript(session: SessionID) -> Subscriber {
    @inline(__always) unsafeAddress { UnsafePointer(subscribers.address(of: session.index)) }
    @inline(__always) unsafeMutableAddress { subscribers.address(of: session.index) }
  }

  var limit: Int32 { Int32(subscribers.count) }

  func isOpen(_ session: SessionID) -> Bool {
    session.index < subscribers.count && subscribers[session.index].delivery != .closed
  }

  mutating func open(_ session: SessionID, peer: Peer, origin: PeerOrigin?, now: Instant) {
    while subscribers.count <= session.index {
      subscribers.append(Subscriber())
      infos.append(SessionInfo())
      names.append("")
    }
    precondition(subscribers[session.index].delivery == .closed, "session \(session.raw) is already open")
    subscribers[session.index] = Subscriber()
    move(session, to: .greeting)
    infos[session.index] = SessionInfo(peer: peer, origin: origin, since: now.wall)
    count += 1
  }

  /// The session's watches must be removed before.
  mutating func close(_ session: SessionID) {
    precondition(subscribers[session.index].firstWatch < 0)
    let wasQueued = subscribers[session.index].isQueued
    subscribers[session.index] = Subscriber(isQueued: wasQueued)
    names[session.index] = ""
    count -= 1
    if infos[session.index].restriction != nil { restrictedCount -= 1 }
  }

  /// The only code that changes a session's delivery.
  mutating func move(_ session: SessionID, to next: Delivery) {
    subscribers[session.index].delivery = next
  }

  /// The session's last watch has ended: what it had seen no longer matters.
  mutating func becomeIdle(_ session: SessionID) {
    let (dueIndex, isPaused) = (
      subscribers[session.index].dueIndex, subscribers[session.index].delivery == .paused
    )
    subscribers[session.index] = Subscriber(dueIndex: dueIndex, isQueued: subscribers[session.index].isQueued)
    move(session, to: isPaused ? .paused : .idle)
  }

  /// Restores a session from an image; its watches follow.
  mutating func restore(_ subscriber: Subscriber, delivery: Delivery, of session: SessionID) {
    subscribers[session.index] = subscriber
    move(session, to: delivery)
  }

  func peer(of session: SessionID) -> Peer { infos[session.index].peer }

  /// What its connection has counted to its user so far.
  func connectionCharge(of session: SessionID) -> Charge {
    let info = infos[session.index]
    return Charge(kind: .connections, bytes: info.memory, uid: info.peer.uid)
  }

  func origin(of session: SessionID) -> PeerOrigin? { infos[session.index].origin }
  mutating func setOrigin(_ origin: PeerOrigin, of session: SessionID) {
    infos[session.index].origin = origin
  }

  /// The session's audience: all sessions with the same rights.
  @inline(__always)
  func audience(of session: SessionID) -> AudienceIndex { infos[session.index].audience }
  mutating func setAudience(_ audience: AudienceIndex, of session: SessionID) {
    infos[session.index].audience = audience
  }

  func restriction(of session: SessionID) -> Restriction? { infos[session.index].restriction }
  mutating func restrict(_ session: SessionID, to restriction: Restriction) {
    if infos[session.index].restriction == nil { restrictedCount += 1 }
    infos[session.index].restriction = restriction
  }

  /// Counts a request of the session.
  ///
  /// - Returns: its audience, which most requests need.
  @inline(__always)
  mutating func countRequest(of session: SessionID) -> AudienceIndex {
    let info = infos.address(of: session.index)
    info.pointee.requests &+= 1
    return info.pointee.audience
  }

  /// Until `restore`, the session acts in another's name, with all rights.
  mutating func lend(_ session: SessionID, to peer: Peer) -> (peer: Peer, audience: AudienceIndex) {
    let own = (infos[session.index].peer, infos[session.index].audience)
    (infos[session.index].peer, infos[session.index].audience) = (peer, Permissions.everything)
    return own
  }

  mutating func restore(_ own: (peer: Peer, audience: AudienceIndex), of session: SessionID) {
    (infos[session.index].peer, infos[session.index].audience) = own
  }

  mutating func setUnsent(_ bytes: Int, of session: SessionID) {
    infos[session.index].unsent = UInt32(clamping: bytes)
  }

  mutating func addMemory(_ bytes: Int, to session: SessionID) { infos[session.index].memory += bytes }
  mutating func setUse(_ use: SessionUse, of session: SessionID) { infos[session.index].use = use }
  mutating func countCatchUp(of session: SessionID) {
    let count = infos[session.index].catchUps
    if count < .max { infos[session.index].catchUps = count + 1 }
  }

  mutating func setName(_ name: String, of session: SessionID) { names[session.index] = name }

  func info(of session: SessionID) -> SessionInfo { infos[session.index] }

  func name(of session: SessionID) -> String { names[session.index] }

  /// Restores an image's facts about a session's client.
  mutating func restore(_ info: SessionInfo, name: String, of session: SessionID) {
    let (watches, audience) = (infos[session.index].watches, infos[session.index].audience)
    infos[session.index] = info
    infos[session.index].watches = watches
    infos[session.index].audience = audience
    setName(name, of: session)
  }

  func summary(of session: SessionID) -> ClientSummary {
    let info = infos[session.index]
    let delivery = subscribers[session.index].delivery
    return ClientSummary(
      session: session.raw, peer: info.peer, name: name(of: session), since: info.since,
      watches: UInt32(info.watches.all), requests: info.requests, unsent: info.unsent,
      behind: delivery == .behind || delivery == .paused, cost: info.use.cost, held: UInt64(info.use.held),
      catchUps: info.catchUps, origin: info.origin ?? PeerOrigin())
  }

  // MARK: Watches

  subscript(watch index: Int32) -> Watch {
    @inline(__always) unsafeAddress { UnsafePointer(watches.address(of: index)) }
    @inline(__always) unsafeMutableAddress { watches.address(of: index) }
  }

  /// Adds a watch that has not begun, and is not yet in its session's list.
  mutating func add(_ watch: Watch) -> Int32 { watches.add(watch) }

  /// Forgets a watch that has not begun, or has ended.
  mutating func forget(watch index: Int32) { watches.remove(index) }

  /// The watch is the first of its session's.
  mutating func begin(watch index: Int32) {
    let session = Int(watches[index].session)
    let next = subscribers[session].firstWatch
    watches[index].next = next
    watches[index].previous = -1
    if next >= 0 { watches[next].previous = index }
    subscribers[session].firstWatch = index
    infos[session].highestWatch = max(infos[session].highestWatch, watches[index].request)
    count(watches[index], 1)
  }

  /// Counts a watch that is opened or ended.
  private mutating func count(_ watch: Watch, _ difference: Int32) {
    let session = Int(watch.session)
    infos[session].watches.all += difference
    if watch.policy == .every { infos[session].watches.every += difference }
    if watch.policy == .filtered { infos[session].watches.filtered += difference }
    if watch.schemas { infos[session].watches.schemas += difference }
    let watches = infos[session].watches
    subscribers[session].policy = watches.every > 0 ? .every : watches.filtered > 0 ? .filtered : .latest
    subscribers[session].schemas = infos[session].watches.schemas > 0
    watchCount += Int(difference)
  }

  /// How many watches the session has, each pattern counted singly.
  func watchCount(of session: SessionID) -> Int { Int(infos[session.index].watches.all) }

  /// How many watches the session with the most of them has. Takes time for each session: only `stats` asks.
  var mostWatches: Int {
    var most: Int32 = 0
    for index in infos.indices { most = max(most, infos[index].watches.all) }
    return Int(most)
  }

  /// The watch is no longer its session's.
  mutating func end(watch index: Int32) {
    let watch = watches[index]
    if watch.previous < 0 {
      subscribers[Int(watch.session)].firstWatch = watch.next
    } else {
      watches[watch.previous].next = watch.next
    }
    if watch.next >= 0 { watches[watch.next].previous = watch.previous }
    count(watch, -1)
  }

  @inline(__always)
  func forEachWatch(of session: SessionID, _ body: (Int32, Watch) -> Void) {
    var node = subscribers[session.index].firstWatch
    while node >= 0 {
      let watch = watches[node]
      body(node, watch)
      node = watch.next
    }
  }

  /// Whether a watch of that number may be open: if not, none must be examined.
  func mayWatch(_ request: UInt32, of session: SessionID) -> Bool {
    request <= infos[session.index].highestWatch && subscribers[session.index].firstWatch >= 0
  }

  func watch(_ request: UInt32, of session: SessionID) -> Int32? {
    var node = subscribers[session.index].firstWatch
    while node >= 0 {
      if watches[node].request == request { return node }
      node = watches[node].next
    }
    return nil
  }
}
