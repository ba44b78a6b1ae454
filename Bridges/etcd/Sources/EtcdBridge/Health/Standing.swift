// The state of a bridge's claim, and the times after which values no longer count as live.

internal import EtcdGateway

enum Standing: Equatable {
  /// There is no claim: the hub is away, or another provider has the stores.
  case away
  /// The claim is made, and the values are being brought up to date.
  case syncing
  /// Everything that etcd had a moment ago is published.
  case live
  /// Values may be old, for this reason.
  case suspended(String)

  var isLive: Bool { self == .live }
}

/// The times of the bridge. Values that have differed from etcd's for 5 s must not count as live, so the times until that is
/// noticed add up to less.
enum Pace {
  /// The interval at which the member that sends the changes is asked for its revision.
  static let pause = Duration.milliseconds(500)
  /// How long the watch may take to reach the member's revision before the bridge sets a mark.
  static let lag = Duration.seconds(1)
  /// How long the member may take to answer.
  static let answer = Duration.seconds(1)
  /// If the last good answer is older than this, the values count as stale.
  static let longestDoubt = Duration.seconds(3)
  /// How long a change may take in etcd.
  static let write = Duration.seconds(2)
  /// How long the hub waits for a decision: a little less than clients wait for the hub.
  static let decision = Duration.milliseconds(4500)
  /// About how many bytes of values a page of keys has: it takes several times that in memory, and must arrive in time.
  static let page = 4 << 20
  /// The longest answer of etcd that is kept: it bounds the memory for pages whose keys are larger than those before.
  static let longestAnswer = 32 << 20
  /// How long a machine's ephemeral values outlive the machine and its bridge, in seconds.
  static let lease = 15
}

extension EtcdFailure {
  /// Whether nothing was done, and the same may succeed in a moment.
  var isPassing: Bool {
    switch problem {
    case .noLeader, .unreachable, .unavailable, .cut, .deadline, .busy, .tooManyRequests, .staleToken: true
    default: false
    }
  }

  /// Whether the changes since the revision are no longer available, never existed, or are too many for one message.
  var needsAllKeys: Bool {
    switch problem {
    case .compacted, .futureRevision, .tooLarge: true
    default: false
    }
  }

  /// Whether the user lacks the permission.
  var isDenied: Bool {
    switch problem {
    case .permissionDenied, .authentication, .staleToken: true
    default: false
    }
  }
}
