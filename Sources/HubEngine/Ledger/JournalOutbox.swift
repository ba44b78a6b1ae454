// What must be written before any client sees it: the frames for the journal's next record. It does not write.

import HubCore

/// Bounded by what one turn may change.
struct JournalOutbox: ~Copyable {
  enum Phase: UInt8 {
    /// Whatever is appended will be written.
    case open
    /// The journal accepts nothing. A snapshot will cover the hub's own changes in the meantime.
    case closed
    /// A complete snapshot is being made; the hub's own changes are written whole, regardless of what the journal had
    /// before.
    case renewing
  }

  struct Savepoint {
    var count = 0
    var hasToldUnwritten = false
  }

  private(set) var bytes = OutputBuffer(capacity: 4096)
  /// The journal records that some values are not in it.
  var hasToldUnwritten = false
  /// Since when all users may read everything, according to the journal.
  var openFrom: Revision = 0
  /// Where the newest copied frame ends in the change log, and where its flags are in here.
  private var last: (end: UInt64, start: Int)?
  /// Revisions and serials up to these may be used.
  var reserved: (revision: Revision, serial: UInt64) = (0, 0)
  private(set) var phase = Phase.open
  /// Why sessions cannot write to persistent stores; set whenever the phase is not `open`.
  private(set) var problem: String?
  /// So long it may become by what sessions write.
  var room = Int.max
  /// So long a request would have made it, which was put off until there is room; 0: none was.
  var wanted = 0
  /// The engine holds changes that the journal missed: it needs a complete snapshot.
  var owesSnapshot = false

  private static let keptBytes = 256 << 10

  var savepoint: Savepoint { Savepoint(count: bytes.count, hasToldUnwritten: hasToldUnwritten) }

  mutating func open() {
    phase = .open
    problem = nil
  }

  mutating func close(_ problem: String) {
    phase = .closed
    self.problem = problem
  }

  mutating func renew() {
    phase = .renewing
    if problem == nil { problem = "the journal is being renewed" }
    owesSnapshot = false
    clear()
  }

  mutating func append(_ frame: JournalFrame) { frame.encode(into: &bytes) }

  /// Appends a change, in the very bytes that subscribers receive.
  mutating func append(_ frame: ByteView, endingAt end: UInt64) {
    last = (end, bytes.count)
    bytes.append(frame)
  }

  /// Lends the buffer for a frame to be assembled.
  mutating func write(_ body: (inout OutputBuffer) -> Void) {
    last = nil
    body(&bytes)
  }

  /// Sets the flags of a transaction's last frame, once it is known to be the last.
  mutating func setFlags(_ flags: UInt8, ofFrameEndingAt end: UInt64) {
    guard let last, last.end == end else { return }
    bytes.patch(flags, Frame.flags, from: last.start)
  }

  mutating func truncate(to savepoint: Savepoint) {
    bytes.truncate(to: savepoint.count)
    hasToldUnwritten = savepoint.hasToldUnwritten
    last = nil
  }

  mutating func clear() {
    bytes.clear(keeping: JournalOutbox.keptBytes)
    last = nil
  }
}
