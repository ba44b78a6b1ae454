// `forward`, `ask` and `withdraw`: asking a provider to decide on a write or a read, and cancelling that.

/// Another client's write to stores that a provider has claimed. It takes effect if the provider accepts it.
public struct ForwardedWrite: Hashable, Sendable {
  /// Identifies the write in the decision. A hub never reuses it.
  public var ticket: UInt64
  /// The claim's number.
  public var claim: UInt32
  /// The time for the decision, in milliseconds from when the hub sent the event.
  public var timeLeft: UInt32
  /// The writer; the hub itself if a value has expired.
  public var writer: Peer
  /// The name that the writer's process gives itself.
  public var client: String
  /// The operations in the order of the request: one, or those of a transaction.
  public var operations: [ForwardedOperation]
  /// Whether this is not a request, but the expiry of a time to live or the end of an ephemeral value's connection. It
  /// has no time limit.
  public var isEnd: Bool

  package init(
    ticket: UInt64, claim: UInt32, timeLeft: UInt32, writer: Peer, client: String,
    operations: [ForwardedOperation], isEnd: Bool = false
  ) {
    (self.ticket, self.claim, self.timeLeft, self.writer) = (ticket, claim, timeLeft, writer)
    (self.client, self.operations, self.isEnd) = (client, operations, isEnd)
  }
}

/// An operation of a forwarded write.
public struct ForwardedOperation: Hashable, Sendable {
  /// The kind of write.
  public var kind: WriteKind
  /// The store.
  public var name: StoreName
  /// The store's revision before the operation; 0 if the store does not exist.
  public var revision: Revision
  /// The number of the store's changes before the operation; 0 if the store does not exist.
  public var version: UInt64
  /// The value that the store would have; nil if it would be removed.
  public var value: Value?
  /// Milliseconds until the value expires; nil for never. Only with `set`.
  public var ttl: UInt64?
  /// Whether the value ends with the writer's connection. Only with `set`.
  public var isEphemeral = false
  /// The schema, with `create`.
  public var schema: Schema?

  package init(
    _ kind: WriteKind, _ name: StoreName, revision: Revision, version: UInt64, value: Value?
  ) {
    (self.kind, self.name, self.revision, self.version, self.value) = (kind, name, revision, version, value)
  }

  /// Whether a provider can accept it with another value.
  public var takesOtherValue: Bool {
    switch kind {
    case .set, .add, .toggle, .reset: true
    case .remove, .create: false
    }
  }
}

/// Other clients' reads of a store that a provider has claimed. They are answered from the store once the provider accepts: it
/// publishes the value before, if that has changed.
public struct ForwardedRead: Hashable, Sendable {
  /// Identifies the read in the decision. A hub never reuses it.
  public var ticket: UInt64
  /// The claim's number.
  public var claim: UInt32
  /// The time for the decision, in milliseconds from when the hub sent the event.
  public var timeLeft: UInt32
  /// The store, which may not exist.
  public var name: StoreName

  package init(ticket: UInt64, claim: UInt32, timeLeft: UInt32, name: StoreName) {
    (self.ticket, self.claim, self.timeLeft, self.name) = (ticket, claim, timeLeft, name)
  }
}

/// What a provider is asked to decide on.
package enum Forwarded: Sendable {
  case write(ForwardedWrite)
  case read(ForwardedRead)

  package var ticket: UInt64 {
    switch self {
    case .write(let write): write.ticket
    case .read(let read): read.ticket
    }
  }

  package var claim: UInt32 {
    switch self {
    case .write(let write): write.claim
    case .read(let read): read.claim
    }
  }

  /// Nobody waits for the decision: a value has expired.
  package var isEnd: Bool {
    switch self {
    case .write(let write): write.isEnd
    case .read: false
    }
  }
}

/// Why a forwarded write or read is withdrawn. A decision that still arrives counts only if it accepts the write.
public enum WithdrawReason: UInt8, Hashable, Sendable {
  /// The time for the decision is over: the writer, or each reader, got `unanswered`.
  case timeIsOver = 1
  /// The writer, or every reader, has disconnected.
  case setterLeft = 2
  /// Another connection now has the claim, or it was released. With ticket 0, this is about the claim itself.
  case claimEnded = 3
}

extension ForwardedWrite {
  private enum Flag {
    static let end: UInt8 = 1 << 0
  }

  package func encode(into out: inout OutputBuffer) {
    out.frame(EventKind.forward.rawValue, flags: isEnd ? Flag.end : 0) { out in
      out.append(ticket)
      out.append(claim)
      out.append(timeLeft)
      out.append(writer.uid)
      out.append(writer.gid)
      out.append(writer.pid)
      out.append(short: client)
      out.append(UInt16(operations.count))
      for operation in operations { operation.append(to: &out) }
    }
  }

  init?(flags: UInt8, reading reader: inout ByteReader) {
    isEnd = flags & Flag.end != 0
    (ticket, claim, timeLeft) = (reader.integer(), reader.integer(), reader.integer())
    let (uid, gid) = (reader.integer(UInt32.self), reader.integer(UInt32.self))
    writer = Peer(pid: reader.integer(), uid: uid, gid: gid)
    client = reader.shortBytes().text
    operations = []
    for _ in 0..<Int(reader.integer(UInt16.self)) {
      guard let operation = ForwardedOperation(reading: &reader) else { return nil }
      operations.append(operation)
    }
  }
}

extension ForwardedRead {
  package func encode(into out: inout OutputBuffer) {
    out.frame(EventKind.ask.rawValue) { out in
      out.append(ticket)
      out.append(claim)
      out.append(timeLeft)
      out.append(short: name.text)
    }
  }

  init?(reading reader: inout ByteReader) {
    (ticket, claim, timeLeft) = (reader.integer(), reader.integer(), reader.integer())
    guard let name = try? StoreName(reader.shortBytes().text) else { return nil }
    self.name = name
  }
}

extension ForwardedOperation {
  private enum Flag {
    static let value: UInt8 = 1 << 0
    static let ttl: UInt8 = 1 << 1
    static let ephemeral: UInt8 = 1 << 2
    static let schema: UInt8 = 1 << 3
  }

  package func append(to out: inout OutputBuffer) {
    out.append(kind.rawValue)
    out.append(
      (value == nil ? 0 : Flag.value) | (ttl == nil ? 0 : Flag.ttl) | (isEphemeral ? Flag.ephemeral : 0)
        | (schema == nil ? 0 : Flag.schema))
    out.append(revision)
    out.append(version)
    out.append(short: name.text)
    if let value { out.append(value) }
    if let ttl { out.append(ttl) }
    if let schema { out.append(schema) }
  }

  package init?(reading reader: inout ByteReader) {
    guard let kind = WriteKind(rawValue: reader.integer()) else { return nil }
    let flags = reader.integer(UInt8.self)
    let (revision, version) = (reader.integer(Revision.self), reader.integer(UInt64.self))
    guard let name = try? StoreName(reader.shortBytes().text) else { return nil }
    self.init(kind, name, revision: revision, version: version, value: nil)
    if flags & Flag.value != 0 {
      guard let value = ValueView(reading: &reader), value.contentProblem == nil else { return nil }
      self.value = value.value
    }
    if flags & Flag.ttl != 0 { ttl = reader.integer() }
    isEphemeral = flags & Flag.ephemeral != 0
    if flags & Flag.schema != 0 {
      guard let schema = reader.schema() else { return nil }
      self.schema = schema
    }
    if reader.failed { return nil }
  }
}
