// Owns how much of a turn each user gets, so that one user's flood does not delay others. It has users and costs, not
// sessions.

/// The sessions of a user share its allowance of a turn. When it is spent, the rest of them wait for the next turn, in the
/// order in which they were ready, and there they come after those of users who had less; so users take turns, and then their
/// sessions. A user that a turn does not reach is among the first of the next. While only one user is
/// connected, the turn is its own.
///
/// Costs are the engine's units of work, about nanoseconds.
struct UserShares {
  private struct Account {
    var uid: UInt32
    var sessions = 0
    /// What it has spent of the turn with this number.
    var turn: UInt64 = 0
    var spent = 0
    /// Since when it was held back in every second, when it last was, and until when that is not logged again.
    var heldSince: UInt64 = 0
    var heldLast: UInt64 = 0
    var quietUntil: UInt64 = 0
  }

  /// All the work of a turn's requests; then it ends, and new events are looked for.
  private static let turnAllowance = 1_000_000
  /// A user's part of it, while there are several.
  private static let userAllowance = 100_000
  /// What a session's step costs besides its requests: reading and sending.
  static let step = 4_000

  /// A user held back for this long is logged, and again after this long.
  static let slowSeconds: UInt64 = 10
  private static let slowPause: UInt64 = 300_000_000_000

  /// A user's account keeps its slot while it has sessions. Bounded by the number of descriptors.
  private var accounts: [Account] = []
  private var places: [UInt32: Int32] = [:]
  private var free: [Int32] = []
  private var turn: UInt64 = 0
  private var left = 0
  /// A user had its part of this turn.
  private(set) var hasSpentUser = false
  /// Accounts of users that were held back for long. At most one entry each.
  private var slowed: [Int32] = []

  /// How many users are connected. Stored, because every step asks.
  private(set) var count = 0
  /// There are several, so that each has a part of the turn.
  @inline(__always) var areDivided: Bool { count > 1 }

  /// A session of the user begins.
  ///
  /// - Returns: the slot of its account.
  mutating func open(_ uid: UInt32) -> Int32 {
    let place = places[uid] ?? newAccount(uid)
    accounts[Int(place)].sessions += 1
    return place
  }

  private mutating func newAccount(_ uid: UInt32) -> Int32 {
    let place = free.popLast() ?? Int32(accounts.count)
    if place == accounts.count {
      accounts.append(Account(uid: uid))
    } else {
      accounts[Int(place)] = Account(uid: uid)
    }
    places[uid] = place
    count = places.count
    return place
  }

  mutating func close(_ place: Int32) {
    accounts[Int(place)].sessions -= 1
    guard accounts[Int(place)].sessions == 0 else { return }
    places[accounts[Int(place)].uid] = nil
    count = places.count
    free.append(place)
  }

  /// How many sessions the user has.
  func sessions(of uid: UInt32) -> Int { places[uid].map { accounts[Int($0)].sessions } ?? 0 }

  /// The most sessions of a user for whom `condition` holds.
  func mostSessions(where condition: (UInt32) -> Bool) -> Int {
    accounts.reduce(0) { $1.sessions > $0 && condition($1.uid) ? $1.sessions : $0 }
  }

  // MARK: A turn

  @inline(__always)
  mutating func beginTurn() {
    turn &+= 1
    left = UserShares.turnAllowance
    hasSpentUser = false
  }

  /// The turn's work is done: what is left of it waits for the next.
  @inline(__always) var isSpent: Bool { left <= 0 }

  /// Whether the user has had its part of this turn; between turns, of the last one.
  func isSpent(_ place: Int32) -> Bool {
    let account = accounts[Int(place)]
    return areDivided && account.turn == turn && account.spent > UserShares.userAllowance
  }

  /// A session of the user waits for the next turn because the user has had its part of this one.
  ///
  /// - Parameter now: nanoseconds of a clock that never jumps back.
  mutating func noteHeldBack(_ place: Int32, at now: UInt64) {
    let second: UInt64 = 1_000_000_000
    let account = accounts[Int(place)]
    if now > account.heldLast + second { accounts[Int(place)].heldSince = now }
    accounts[Int(place)].heldLast = now
    guard now >= accounts[Int(place)].heldSince + UserShares.slowSeconds * second, now >= account.quietUntil
    else {
      return
    }
    accounts[Int(place)].quietUntil = now + UserShares.slowPause
    slowed.append(place)
  }

  @inline(__always) var hasSlowed: Bool { !slowed.isEmpty }

  /// Users that are held back for long, with the places of their accounts, each once.
  mutating func takeSlowed() -> [(uid: UInt32, place: Int32)] {
    defer { slowed = [] }
    return slowed.map { (accounts[Int($0)].uid, $0) }
  }

  /// A session has taken a step.
  @inline(__always)
  mutating func charge(_ work: Int) { left &-= work &+ UserShares.step }

  /// A session of this user has taken a step. Needed only while there are several.
  mutating func charge(_ work: Int, to place: Int32) {
    charge(work)
    let place = Int(place)
    if accounts[place].turn != turn {
      accounts[place].turn = turn
      accounts[place].spent = 0
    }
    accounts[place].spent += work + UserShares.step
    if accounts[place].spent > UserShares.userAllowance { hasSpentUser = true }
  }
}
