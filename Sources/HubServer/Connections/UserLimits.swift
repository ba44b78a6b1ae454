// Owns how many connections a user may have, and how fast a user may connect. It has users and times, not sessions.

import HubCore
import HubEngine

/// Root and the hub's own user are not limited at the hub's own socket: no stranger keeps them out, and a user's hub serves
/// only them.
///
/// How fast they may come is a token bucket, kept as the time at which it would be full again ("generic cell rate"): one
/// number for each user who has connected lately.
struct UserLimits {
  /// Why a connection is refused.
  enum Refusal: Error, Equatable {
    case tooMany(UInt32, limit: Int)
    case tooFast(UInt32, perSecond: Int)
  }

  /// The most connections of a user at a time.
  private(set) var mostClients: Int
  /// The connections that a user may make in a second, in the long run.
  private var perSecond: Int
  private let hubUser: UInt32
  /// By user: when its bucket is full, in nanoseconds. Who is not in it has a full bucket. Bounded by what `tidy` leaves:
  /// the users who have connected within the last seconds.
  private var full: [UInt32: UInt64] = [:]
  private var tidySize = UserLimits.leastTidied

  /// A bucket holds the connections of this many seconds: programs start together.
  private static let burstSeconds = 4
  private static let leastTidied = 256

  init(mostClients: Int, perSecond: Int, hubUser: UInt32) {
    self.mostClients = mostClients
    self.perSecond = perSecond
    self.hubUser = hubUser
  }

  init(_ options: ServerOptions) {
    self.init(
      mostClients: options.mostUserClients, perSecond: options.userConnectsPerSecond,
      hubUser: options.engine.uid)
  }

  /// Applies other limits. Who has connected lately stays known.
  mutating func change(to options: ServerOptions) {
    (mostClients, perSecond) = (options.mostUserClients, options.userConnectsPerSecond)
  }

  /// How many connections the user may have; nil: as many as it likes, at the hub's own socket.
  func limit(of uid: UInt32) -> Int? {
    PeerIdentity.isAdministrator(uid, of: hubUser) ? nil : mostClients
  }

  /// A user requests one more connection.
  ///
  /// - Parameters:
  ///   - count: how many it has.
  ///   - isFurther: it uses an additional socket.
  ///   - now: CLOCK_BOOTTIME nanoseconds.
  mutating func admit(_ uid: UInt32, having count: Int, isFurther: Bool = false, now: UInt64) throws(Refusal)
  {
    guard let most = isFurther ? mostClients : limit(of: uid) else { return }
    if count >= most { throw .tooMany(uid, limit: most) }
    let interval = 1_000_000_000 / UInt64(perSecond)
    let next = max(full[uid] ?? 0, now) + interval
    if next - now > interval * UInt64(perSecond * UserLimits.burstSeconds) {
      throw .tooFast(uid, perSecond: perSecond)
    }
    full[uid] = next
    if full.count >= tidySize { tidy(now) }
  }

  private mutating func tidy(_ now: UInt64) {
    full = full.filter { $0.value > now }
    tidySize = max(UserLimits.leastTidied, full.count * 2)
  }
}

extension UserLimits.Refusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .tooMany(let uid, let limit):
      "user \(uid) has \(limit) connections, as many as maxUserClients in the hub's configuration allows, or three quarters of its maxClients"
    case .tooFast(let uid, let perSecond):
      "user \(uid) connects too often: userConnectsPerSecond in the hub's configuration allows \(perSecond)"
    }
  }
}
