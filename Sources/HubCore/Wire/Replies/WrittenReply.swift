// `written` and `committed`: the answers to a write and to a transaction, and what they promise about the disk.

/// The effect of a write.
public struct WriteResult: Hashable, Sendable {
  /// The store's number.
  public var id: StoreID
  /// The store's revision afterwards; setting the same value leaves it unchanged.
  public var revision: Revision
  /// The number of the store's changes afterwards.
  public var version: UInt64
  /// Whether the write changed the store; false if the value was the same.
  public var changed: Bool
  /// What the acknowledgement guarantees.
  public var durability: Durability
  /// The value afterwards, for `add`, `toggle` and `reset`, and if a provider accepted a different value.
  public var value: Value?
  /// Whether a provider has accepted the request but not executed it yet: nothing has changed, and it will publish the
  /// result.
  public var isTaken: Bool

  package init(
    id: StoreID, revision: Revision, version: UInt64, changed: Bool, durability: Durability,
    value: Value? = nil, isTaken: Bool = false
  ) {
    self.id = id
    self.revision = revision
    self.version = version
    self.changed = changed
    self.durability = durability
    self.value = value
    self.isTaken = isTaken
  }
}

/// The fields of the answer to a write.
@usableFromInline package enum WrittenLayout {
  @inlinable @inline(__always) package static var store: Field<UInt64> { Field(at: Frame.headerLength) }
  @inlinable @inline(__always) package static var revision: Field<Revision> { Field(behind: store) }
  @inlinable @inline(__always) package static var version: Field<UInt64> { Field(behind: revision) }
  @inlinable @inline(__always) package static var durability: Field<UInt8> { Field(behind: version) }
  /// The value, if the answer includes it.
  @inlinable @inline(__always) package static var body: Int { durability.end }

  @inlinable package static var changed: UInt8 { 1 << 0 }
  @inlinable package static var hasValue: UInt8 { 1 << 1 }
  @inlinable package static var taken: UInt8 { 1 << 2 }

  /// Writes the front of an answer of `length` bytes in total; the value, if included, follows at `body`.
  @inlinable @inline(__always)
  package static func write(
    to frame: UnsafeMutableRawPointer, _ id: StoreID, _ revision: Revision, _ version: UInt64,
    _ durability: Durability, changed isChanged: Bool, hasValue: Bool, request: UInt32, length: Int
  ) {
    let flags = (isChanged ? WrittenLayout.changed : 0) | (hasValue ? WrittenLayout.hasValue : 0)
    Frame.writeHeader(
      to: frame, ReplyKind.written.rawValue, flags: flags, request: request, length: length)
    WrittenLayout.store.write(id.raw, to: frame)
    WrittenLayout.revision.write(revision, to: frame)
    WrittenLayout.version.write(version, to: frame)
    WrittenLayout.durability.write(durability.rawValue, to: frame)
  }
}

/// The answer to a transaction: the revision, then the frames of its writes' answers.
@usableFromInline package enum CommittedLayout {
  @inlinable @inline(__always) package static var revision: Field<Revision> { Field(at: Frame.headerLength) }
  @inlinable @inline(__always) package static var results: Int { revision.end }
}

extension WriteResult {
  func encode(into out: inout OutputBuffer, request: UInt32) {
    let start = out.count
    WrittenLayout.write(
      to: out.extend(WrittenLayout.body), id, revision, version, durability, changed: changed,
      hasValue: value != nil, request: request, length: WrittenLayout.body)
    if isTaken {
      let flags = (changed ? WrittenLayout.changed : 0) | (value == nil ? 0 : WrittenLayout.hasValue)
      out.patch(flags | WrittenLayout.taken, Frame.flags, from: start)
    }
    if let value {
      out.append(value)
      out.endFrame(start)
    }
  }

  static func encode(
    _ results: [WriteResult], _ revision: Revision, into out: inout OutputBuffer, request: UInt32
  ) {
    out.frame(ReplyKind.committed.rawValue, request: request) { out in
      out.append(revision)
      for result in results { result.encode(into: &out, request: 0) }
    }
  }

  init?(flags: UInt8, reading reader: inout ByteReader) {
    let id = StoreID(raw: reader.integer())
    let revision = reader.integer(Revision.self)
    let version = reader.integer(UInt64.self)
    guard let durability = Durability(rawValue: reader.integer()) else { return nil }
    var value: Value?
    if flags & WrittenLayout.hasValue != 0 {
      guard let view = ValueView(reading: &reader) else { return nil }
      value = view.value
    }
    self.init(
      id: id, revision: revision, version: version, changed: flags & WrittenLayout.changed != 0,
      durability: durability, value: value, isTaken: flags & WrittenLayout.taken != 0)
  }

  static func committed(reading reader: inout ByteReader) -> Reply? {
    let revision = reader.integer(Revision.self)
    var results: [WriteResult] = []
    var frames = FrameCursor(reader.rest())
    while let frame = frames.next() {
      var inner = ByteReader(frame.payload)
      guard frame.kind == .reply(.written), let result = WriteResult(flags: frame.flags, reading: &inner)
      else { return nil }
      results.append(result)
    }
    return frames.isAtEnd ? .committed(revision: revision, results) : nil
  }
}

extension Reply {
  /// Whether the frame acknowledges a write to a persistent store, alone or in a transaction.
  package static func promisesStorage(_ frame: FrameView) -> Bool {
    switch ReplyKind(rawValue: frame.rawKind)?.acknowledged {
    case .nothing, nil: return false
    case .write:
      return frame.bytes.count >= WrittenLayout.body
        && frame.bytes[WrittenLayout.durability] != Durability.volatile.rawValue
    case .transaction:
      var results = FrameCursor(frame.bytes.suffix(from: min(CommittedLayout.results, frame.bytes.count)))
      while let result = results.next() {
        if promisesStorage(result) { return true }
      }
      return false
    }
  }
}
