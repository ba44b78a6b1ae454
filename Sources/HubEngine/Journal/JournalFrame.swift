// The frames that only files hold. Changes, creations and removals are stored in the same bytes that subscribers receive.

package import HubCore

/// A frame about the journal itself. The kinds are numbers that the wire protocol does not use.
package enum JournalFrame: Hashable, Sendable {
  /// The first frame of every segment.
  case head(Head)
  /// Revisions and serial numbers of stores below these may have been used.
  case reserved(revision: Revision, serial: UInt64)
  /// From here on, clients may have seen values that are not in the journal.
  case unwritten
  /// The journal forgets the store, which has become volatile.
  case unstored(StoreID, revision: Revision, version: UInt64)
  /// How the store's value of this revision ends by itself; the store's next change clears the lifetime.
  case lifetime(StoreID, revision: Revision, KeptLifetime)
  /// Discards the remembered removals; those that follow replace them. Bookmarks below `floor` cannot be resumed.
  case removals(floor: Revision)
  /// The hub stopped cleanly; nothing came after these. `settled`: what was shown but is not kept was removed before,
  /// so nothing is left unwritten.
  case ended(revision: Revision, serial: UInt64, settled: Bool)
  /// The first frame of a snapshot. Bookmarks below `floor` cannot be resumed.
  case snapshot(epoch: Epoch, revision: Revision, serial: UInt64, floor: Revision)
  /// The last frame of a snapshot: it holds for the journal from its segment's start on, if the journal reaches this
  /// position.
  case complete(through: JournalPosition, stores: UInt64)
  /// At the hub's own socket all clients may read everything, and could at every bookmark from this one on; `.max`:
  /// currently not. Without the frame: always.
  case access(openFrom: Revision)
  /// A user's program claims stores: until the claim is released, only its provider decides on writes to them. It replaces an
  /// earlier claim of that name.
  case claim(ClaimOffer, owner: UInt32)
  /// The claim of that name was released.
  case unclaimed(StoreName)

  package struct Head: Hashable, Sendable {
    /// Where the journal ended before this segment.
    package var previous: JournalPosition
    package var epoch: Epoch
    /// Distinguishes one boot of the machine from another; zero if unknown.
    package var boot: BootID
    /// The file that the segment was written to.
    package var origin: FileOrigin
    package var revisionLimit: Revision
    package var serialLimit: UInt64
    /// Bookmarks below this cannot be resumed.
    package var floor: Revision
    /// A hub started here; otherwise the journal continued from the segment before.
    package var beginsLife: Bool
    /// As the frame `unwritten`.
    package var unwritten: Bool
  }

  package enum Kind: UInt8, Sendable, CaseIterable {
    case head = 0x21
    case reserved = 0x22
    case unwritten = 0x23
    case unstored = 0x24
    case ended = 0x25
    case lifetime = 0x26
    case removals = 0x27
    case snapshot = 0x28
    case complete = 0x29
    case access = 0x2A
    // 0x2B is `PackedStores`.
    case claim = 0x2C
    case unclaimed = 0x2D
  }

  private static let beginsLife: UInt8 = 1 << 0
  private static let isUnwritten: UInt8 = 1 << 1
  private static let isSettled: UInt8 = 1 << 0
  private static let isEphemeral: UInt8 = 1 << 0

  package var kind: Kind {
    switch self {
    case .head: .head
    case .reserved: .reserved
    case .unwritten: .unwritten
    case .unstored: .unstored
    case .lifetime: .lifetime
    case .removals: .removals
    case .ended: .ended
    case .snapshot: .snapshot
    case .complete: .complete
    case .access: .access
    case .claim: .claim
    case .unclaimed: .unclaimed
    }
  }

  private var flags: UInt8 {
    switch self {
    case .head(let head):
      (head.beginsLife ? JournalFrame.beginsLife : 0) | (head.unwritten ? JournalFrame.isUnwritten : 0)
    case .lifetime(_, _, let lifetime): lifetime.isEphemeral ? JournalFrame.isEphemeral : 0
    case .ended(_, _, let settled): settled ? JournalFrame.isSettled : 0
    case .reserved, .unwritten, .unstored, .removals, .snapshot, .complete, .access, .claim, .unclaimed: 0
    }
  }

  package func encode(into out: inout OutputBuffer) {
    let start = out.beginFrame(kind.rawValue, flags: flags)
    switch self {
    case .head(let head):
      out.append(head.previous.raw)
      out.append(head.epoch)
      out.append(head.boot.high)
      out.append(head.boot.low)
      out.append(head.origin.inode)
      out.append(head.origin.birth)
      out.append(head.revisionLimit)
      out.append(head.serialLimit)
      out.append(head.floor)
    case .reserved(let revision, let serial), .ended(let revision, let serial, _):
      out.append(revision)
      out.append(serial)
    case .unwritten: break
    case .unstored(let id, let revision, let version):
      out.append(id.raw)
      out.append(revision)
      out.append(version)
    case .lifetime(let id, let revision, let lifetime):
      out.append(id.raw)
      out.append(revision)
      out.append(lifetime.deadline)
      out.append(lifetime.remaining)
      out.append(lifetime.written)
    case .removals(let floor): out.append(floor)
    case .snapshot(let epoch, let revision, let serial, let floor):
      out.append(epoch)
      out.append(revision)
      out.append(serial)
      out.append(floor)
    case .complete(let through, let stores):
      out.append(through.raw)
      out.append(stores)
    case .access(let openFrom): out.append(openFrom)
    case .claim(let offer, let owner):
      out.append(owner)
      ProvideCommand.encode(offer, 0, into: &out)
    case .unclaimed(let name): out.append(short: name.text)
    }
    out.endFrame(start)
  }

  /// Nil if the frame is of another kind or too short, or if no revisions or serial numbers are left behind those that it names.
  package init?(_ frame: FrameView) {
    guard let kind = Kind(rawValue: frame.rawKind) else { return nil }
    var reader = ByteReader(frame.payload)
    switch kind {
    case .head:
      let previous = JournalPosition(raw: reader.integer())
      let named = reader.epoch()
      let (high, low) = (reader.integer(UInt64.self), reader.integer(UInt64.self))
      let (inode, birth) = (reader.integer(UInt64.self), reader.integer(UInt64.self))
      let (revisionLimit, serialLimit) = (reader.integer(Revision.self), reader.integer(UInt64.self))
      self = .head(
        Head(
          previous: previous, epoch: named, boot: BootID(high: high, low: low),
          origin: FileOrigin(inode: inode, birth: birth), revisionLimit: revisionLimit,
          serialLimit: serialLimit, floor: reader.integer(),
          beginsLife: frame.flags & JournalFrame.beginsLife != 0,
          unwritten: frame.flags & JournalFrame.isUnwritten != 0))
    case .reserved:
      let revision = reader.integer(Revision.self)
      self = .reserved(revision: revision, serial: reader.integer())
    case .unwritten: self = .unwritten
    case .unstored:
      let id = StoreID(raw: reader.integer())
      let revision = reader.integer(Revision.self)
      self = .unstored(id, revision: revision, version: reader.integer())
    case .ended:
      let revision = reader.integer(Revision.self)
      self = .ended(
        revision: revision, serial: reader.integer(), settled: frame.flags & JournalFrame.isSettled != 0)
    case .lifetime:
      let id = StoreID(raw: reader.integer())
      let revision = reader.integer(Revision.self)
      self = .lifetime(
        id, revision: revision,
        KeptLifetime(
          deadline: reader.integer(), remaining: reader.integer(), written: reader.integer(),
          isEphemeral: frame.flags & JournalFrame.isEphemeral != 0))
    case .removals: self = .removals(floor: reader.integer())
    case .snapshot:
      let named = reader.epoch()
      let (revision, serial) = (reader.integer(Revision.self), reader.integer(UInt64.self))
      self = .snapshot(epoch: named, revision: revision, serial: serial, floor: reader.integer())
    case .complete:
      let through = JournalPosition(raw: reader.integer())
      self = .complete(through: through, stores: reader.integer())
    case .access: self = .access(openFrom: reader.integer())
    case .claim:
      let owner = reader.integer(UInt32.self)
      guard !reader.failed, let offer = ClaimOffer(framed: &reader),
        ClaimOffer.problem(in: offer.patterns) == nil
      else { return nil }
      self = .claim(offer, owner: owner)
    case .unclaimed:
      guard let name = try? StoreName(reader.shortBytes().text) else { return nil }
      self = .unclaimed(name)
    }
    if reader.failed || !leavesNumbers { return nil }
  }

  /// A hub that continues from the frame has numbers to give out.
  private var leavesNumbers: Bool {
    switch self {
    case .head(let head): JournalFrame.leavesNumbers(head.revisionLimit, head.serialLimit)
    case .reserved(let revision, let serial), .ended(let revision, let serial, _),
      .snapshot(_, let revision, let serial, _):
      JournalFrame.leavesNumbers(revision, serial)
    case .unstored(_, let revision, let version): EventLayout.canContinue(revision, version: version)
    case .unwritten, .lifetime, .removals, .complete, .access, .claim, .unclaimed: true
    }
  }

  /// There are 2^40 serial numbers, and some are reserved ahead of those that are used.
  private static func leavesNumbers(_ revision: Revision, _ serial: UInt64) -> Bool {
    revision <= Revision(Int64.max) && serial < 1 << 41
  }
}

/// The machine's boot: 128 bits of `/proc/sys/kernel/random/boot_id`.
package struct BootID: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package static let unknown = BootID(high: 0, low: 0)

  /// Reads 32 hexadecimal digits, with or without dashes.
  package init?(_ text: some StringProtocol) {
    let digits = String(text.filter { $0 != "-" && !$0.isWhitespace })
    guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}

/// Distinguishes a file from a copy of it.
package struct FileOrigin: Hashable, Sendable {
  package var inode: UInt64
  /// When it was created, in nanoseconds since 1970; 0 if the file system does not record it.
  package var birth: UInt64

  package init(inode: UInt64, birth: UInt64) {
    self.inode = inode
    self.birth = birth
  }
}

extension EventLayout {
  /// Whether a stored change, read from outside, leaves its store numbers for the changes that follow.
  @inline(__always)
  static func canContinue(_ revision: Revision, version: UInt64) -> Bool {
    revision <= Revision(Int64.max) && version <= UInt64(Int64.max)
  }

  /// The same of a frame; false if it is too short.
  @inline(__always)
  static func canContinue(_ frame: FrameView) -> Bool {
    frame.bytes.count >= body
      && canContinue(frame.bytes[EventLayout.revision], version: frame.bytes[EventLayout.version])
  }
}

extension FrameView {
  /// The store that a change is about, and the change's revision; nil: it is another frame, or leaves no numbers.
  package var changedStore: (revision: Revision, id: StoreID)? {
    guard EventKind(rawValue: rawKind)?.isChange == true, EventLayout.canContinue(self) else { return nil }
    return (bytes[EventLayout.revision], StoreID(raw: bytes[EventLayout.store]))
  }
}
