// The conditions that lengthen a request's path, in one byte: nearly always none, which one comparison shows.

import HubCore

struct Attention {
  private var bits: UInt8 = 0

  private static let sealed: UInt8 = 1 << 0
  private static let monitored: UInt8 = 1 << 1
  private static let claims: UInt8 = 1 << 2
  private static let filters: UInt8 = 1 << 3
  private static let restricted: UInt8 = 1 << 4

  @inline(__always) var isNeeded: Bool { bits != 0 }

  /// A turn is sealed, and has not ended.
  @inline(__always)
  var isSealed: Bool {
    get { bits & Attention.sealed != 0 }
    set { bits = newValue ? bits | Attention.sealed : bits & ~Attention.sealed }
  }

  /// A client monitors the requests.
  var isMonitored: Bool {
    get { bits & Attention.monitored != 0 }
    set { bits = newValue ? bits | Attention.monitored : bits & ~Attention.monitored }
  }

  /// There are claims, or requests or messages about them.
  @inline(__always)
  var hasClaims: Bool {
    get { bits & Attention.claims != 0 }
    set { bits = newValue ? bits | Attention.claims : bits & ~Attention.claims }
  }

  /// A session watches with a filter.
  @inline(__always)
  var hasFilters: Bool {
    get { bits & Attention.filters != 0 }
    set { bits = newValue ? bits | Attention.filters : bits & ~Attention.filters }
  }

  /// A session has restricted itself.
  var hasRestricted: Bool {
    get { bits & Attention.restricted != 0 }
    set { bits = newValue ? bits | Attention.restricted : bits & ~Attention.restricted }
  }

  /// Something besides values may have a deadline.
  @inline(__always) var hasDeadlines: Bool { bits & (Attention.claims | Attention.filters) != 0 }
}
