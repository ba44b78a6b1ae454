// The numbers that identify things in the hub: epochs, revisions, bookmarks, stores and sessions.

/// The hub-wide count of changes. A later change has a higher revision; within one `Epoch` none is ever reused.
/// Zero comes before every change.
public typealias Revision = UInt64

/// Identifies an unbroken history of revisions: 128 random bits that change whenever something shown to a client may
/// have been lost. Revisions of different epochs cannot be compared.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
  /// The upper 64 bits.
  public var high: UInt64
  /// The lower 64 bits.
  public var low: UInt64

  /// Restores an epoch from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new epoch, from the system's random source.
  public static func random() -> Epoch {
    Epoch(high: .random(in: 1 ... .max), low: .random(in: 0 ... .max))
  }

  /// 32 hexadecimal digits.
  public var description: String { Epoch.hex(high) + Epoch.hex(low) }

  private static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension OutputBuffer {
  @inlinable package mutating func append(_ epoch: Epoch) {
    append(epoch.high)
    append(epoch.low)
  }
}

extension ByteReader {
  @inlinable package mutating func epoch() -> Epoch {
    let high = integer(UInt64.self)
    return Epoch(high: high, low: integer())
  }
}

/// How much of the hub's history a client has seen: `(epoch, revision)`. A watch that is opened with a bookmark continues there.
public struct Bookmark: Hashable, Sendable {
  /// The epoch of the revision.
  public var epoch: Epoch
  /// The revision up to which everything was seen.
  public var revision: Revision

  /// Makes a bookmark, for example one that a program has stored.
  public init(epoch: Epoch, revision: Revision) {
    self.epoch = epoch
    self.revision = revision
  }
}

/// A store's number on the wire. It is never reused: a store that is removed and created again gets another one.
public struct StoreID: Hashable, Sendable, CustomStringConvertible {
  /// The number on the wire.
  public var raw: UInt64

  /// Restores a number from the wire.
  @inlinable public init(raw: UInt64) { self.raw = raw }

  /// The low 24 bits are the store's slot in the hub's table, the high 40 its serial number of creation.
  @inlinable package static var slotBits: UInt64 { 24 }
  /// The limit of serial numbers.
  @inlinable package static var serialLimit: UInt64 { 1 << (64 - slotBits) }

  @inlinable package init(serial: UInt64, slot: Int) {
    raw = serial << StoreID.slotBits | UInt64(slot)
  }

  @inlinable package var slot: Int { Int(raw & (1 << StoreID.slotBits - 1)) }
  @inlinable package var serial: UInt64 { raw >> StoreID.slotBits }

  public var description: String { String(raw) }
}

/// One client connection. The hub's server uses the connection's descriptor number, an embedded hub its own count.
@usableFromInline package struct SessionID: Hashable, Sendable {
  @usableFromInline package var raw: Int32

  @inlinable package init(raw: Int32) { self.raw = raw }
  @inlinable package var index: Int { Int(raw) }
}

/// The process at the other end of a connection, according to the kernel.
public struct Peer: Hashable, Sendable {
  /// The process; 0 if it is in a pid namespace that the hub cannot see.
  public var pid: UInt32
  /// The effective user.
  public var uid: UInt32
  /// The effective group.
  public var gid: UInt32

  /// Makes an identity, for tests and for programs that replay records.
  public init(pid: UInt32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  /// The identity, for messages. The kernel has no number for a process of another pid namespace.
  package var process: String { pid == 0 ? "a process in another pid namespace" : "process \(pid)" }
}

/// The two clocks that the hub gets as parameters, and never reads.
@usableFromInline package struct Instant: Hashable, Sendable {
  /// Nanoseconds since 1970, for display. It may jump.
  @usableFromInline package var wall: Int64
  /// Nanoseconds since boot, suspended time included (CLOCK_BOOTTIME), for lifetimes. It never jumps.
  @usableFromInline package var boot: UInt64

  @inlinable
  package init(wall: Int64, boot: UInt64) {
    self.wall = wall
    self.boot = boot
  }
}
