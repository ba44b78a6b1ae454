// How the bridge stands towards the hub: whether the values may be trusted, and when that is over.

internal import EtcdGateway

enum Standing: Equatable {
  /// There is no claim: the hub is away, or another provider has it.
  case away
  /// The claim is made, and the values are being brought up to date.
  case syncing
  /// Whatever etcd had a moment ago is published.
  case live
  /// Values may be old, because of this.
  case suspended(String)

  var isLive: Bool { self == .live }
}

/// The times of the bridge. Values that differ from etcd's for longer than 5 s must not count as live: so each time that is
/// spent until that is noticed is less in all.
enum Pace {
  /// The pause between two questions to the member that tells the changes.
  static let pause = Duration.milliseconds(500)
  /// How long the watch may take to tell what the member has, before the bridge makes a change for it to tell.
  static let lag = Duration.seconds(1)
  /// How long it may take to answer.
  static let patience = Duration.seconds(1)
  /// When the last good answer is older than this, the values count as stale.
  static let longestDoubt = Duration.seconds(3)
  /// How long a change may take in etcd.
  static let write = Duration.seconds(2)
  /// How long the hub waits for a decision: a little less than its clients wait for the hub.
  static let decision = Duration.milliseconds(4500)
  /// How many bytes of values a page of keys has, about: it takes memory several times, and must arrive in time.
  static let page = 4 << 20
  /// How long a machine's ephemeral values outlive it, and its bridge.
  static let lease = 15
}

extension EtcdFailure {
  /// Whether the same may succeed in a moment, and nothing was done.
  var isPassing: Bool {
    switch problem {
    case .noLeader, .unreachable, .unavailable, .cut, .deadline, .busy, .tooManyRequests, .staleToken: true
    default: false
    }
  }

  /// Whether changes before the revision cannot be told any more, never were, or are too many for one message.
  var needsAllKeys: Bool {
    switch problem {
    case .compacted, .futureRevision, .tooLarge: true
    default: false
    }
  }

  /// Whether the user may not do it.
  var isDenied: Bool {
    switch problem {
    case .permissionDenied, .authentication, .staleToken: true
    default: false
    }
  }
}
