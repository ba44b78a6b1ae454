// `monitored`: what has happened since the last `monitor` of the connection.

/// A request that the hub answered, or a change that it made by itself.
public struct MonitorRecord: Hashable, Sendable {
  /// How many records were dropped directly before this one, because the monitor did not fetch them in time.
  public var missed: UInt32
  /// Nanoseconds since 1970.
  public var time: Int64
  /// The kind of the request's frame; for a change by the hub itself, 0x40 (changed), 0x41 (created) or 0x42
  /// (removed).
  public var kind: UInt8
  /// The code of the error in the answer; 0 if the request was executed.
  public var code: UInt16
  /// The hub's revision after it.
  public var revision: Revision
  /// The user who made the request; the hub's own user for its own changes.
  public var uid: UInt32
  /// The process; 0 if it was the hub itself, or is in a pid namespace that the hub cannot see.
  public var pid: UInt32
  /// The name that the process gave itself.
  public var client: String
  /// The store or pattern that the request is about, or the first of several; empty if it is about none, or about a
  /// number that no store has.
  public var name: String
  /// The error's message.
  public var error: String
  /// How long the request's frame was, in bytes, header included.
  public var length: UInt32
  /// The frame's flags.
  public var flags: UInt8
  /// The beginning of the frame's payload; for a change by the hub, of its value.
  public var payload: [UInt8]

  /// The maximum number of bytes kept of a payload.
  package static let mostPayload = 512

  package init(
    time: Int64, kind: UInt8, revision: Revision, uid: UInt32, pid: UInt32, client: String, name: String
  ) {
    (missed, self.time, self.kind, code, self.revision) = (0, time, kind, 0, revision)
    (self.uid, self.pid, self.client, self.name) = (uid, pid, client, name)
    (error, length, flags, payload) = ("", 0, 0, [])
  }

  /// The hub has changed a store by itself: because a time to live has ended, or a connection.
  package var isByHub: Bool { EventKind(rawValue: kind) != nil }

  /// Whether the payload is complete.
  public var isWhole: Bool { payload.count + Frame.headerLength == length }

  /// The request, if it is complete, and of a kind that this release supports.
  package var request: Request? {
    guard isWhole else { return nil }
    var frame = OutputBuffer(capacity: Int(length))
    let start = frame.beginFrame(kind, flags: flags)
    payload.withByteView { frame.append($0) }
    frame.endFrame(start)
    return try? Request(decoding: FrameView(bytes: frame.view))
  }

  /// The value that the hub itself has set, if it is complete.
  package var value: Value? {
    guard isWhole else { return nil }
    return payload.withByteView { bytes in
      var reader = ByteReader(bytes)
      return ValueView(reading: &reader)?.value
    }
  }

  /// An estimate of its memory.
  package var cost: Int { 160 + payload.count + client.utf8.count + name.utf8.count + error.utf8.count }
}

/// Some of the records, in order.
public struct MonitorPage: Hashable, Sendable {
  /// The oldest records not fetched yet.
  public var records: [MonitorRecord]
  /// How many records were dropped after the last one.
  public var missed: UInt32
  /// Whether more records are available.
  public var more: Bool
  /// Whether monitoring starts with this answer: nothing earlier was recorded.
  public var begins: Bool

  package init(records: [MonitorRecord], missed: UInt32, more: Bool, begins: Bool) {
    (self.records, self.missed, self.more, self.begins) = (records, missed, more, begins)
  }
}

extension MonitorPage {
  private enum Flag {
    static let more: UInt8 = 1 << 0
    static let begins: UInt8 = 1 << 1
  }

  func encode(into out: inout OutputBuffer, request: UInt32) {
    let flags = (more ? Flag.more : 0) | (begins ? Flag.begins : 0)
    out.frame(ReplyKind.monitored.rawValue, flags: flags, request: request) { out in
      out.append(missed)
      out.append(UInt32(records.count))
      for record in records { record.append(to: &out) }
    }
  }

  init?(flags: UInt8, reading reader: inout ByteReader) {
    (missed, records) = (reader.integer(), [])
    (more, begins) = (flags & Flag.more != 0, flags & Flag.begins != 0)
    for _ in 0..<Int(reader.integer(UInt32.self)) {
      guard let record = MonitorRecord(reading: &reader) else { return nil }
      records.append(record)
    }
  }
}

extension MonitorRecord {
  fileprivate func append(to out: inout OutputBuffer) {
    out.append(missed)
    out.append(time)
    out.append(kind)
    out.append(flags)
    out.append(code)
    out.append(revision)
    out.append(uid)
    out.append(pid)
    out.append(length)
    out.append(short: client)
    out.append(short: name)
    out.append(medium: error)
    out.append(UInt16(payload.count))
    payload.withByteView { out.append($0) }
  }

  fileprivate init?(reading reader: inout ByteReader) {
    (missed, time, kind, flags) = (reader.integer(), reader.integer(), reader.integer(), reader.integer())
    (code, revision) = (reader.integer(), reader.integer())
    (uid, pid, length) = (reader.integer(), reader.integer(), reader.integer())
    (client, name, error) = (reader.shortBytes().text, reader.shortBytes().text, reader.mediumBytes().text)
    payload = reader.mediumBytes().array
    if reader.failed { return nil }
  }
}
