// `set`: gives a store a value, with conditions and a lifetime; it creates a missing store.

/// How long a value stays; every successful set renews it.
public struct Lifetime: Hashable, Sendable {
  /// The time to live in milliseconds, including time that the machine sleeps.
  public var ttl: UInt64?
  /// Whether the value ends with the connection that set it.
  public var ephemeral: Bool

  /// Makes a lifetime; by default, a permanent one. `ttl` is in milliseconds, at least 1.
  public init(ttl: UInt64? = nil, ephemeral: Bool = false) {
    self.ttl = ttl
    self.ephemeral = ephemeral
  }

  /// The value stays until it is replaced or removed.
  public static let permanent = Lifetime()
}

@usableFromInline package struct SetCommand: OperationCommand {
  @usableFromInline package let store: StoreKey
  @usableFromInline package let value: ValueView
  @usableFromInline package let flags: UInt8
  @usableFromInline package let revision: Revision
  @usableFromInline package let epoch: Epoch
  @usableFromInline package let expected: ValueView?
  @usableFromInline package let ttl: UInt64

  /// In addition to the conditions' flags.
  @usableFromInline package enum Flag {
    @inlinable package static var force: UInt8 { 1 << 4 }
    @inlinable package static var ttl: UInt8 { 1 << 5 }
    @inlinable package static var ephemeral: UInt8 { 1 << 6 }
  }

  @inlinable @inline(__always)
  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    flags = frame.flags
    store = StoreKey(reading: &reader)
    guard let value = ValueView(reading: &reader) else { return nil }
    self.value = value
    revision = flags & ConditionFlag.revision != 0 ? reader.integer() : 0
    epoch = flags & ConditionFlag.epoch != 0 ? reader.epoch() : Epoch(high: 0, low: 0)
    if flags & ConditionFlag.value != 0 {
      guard let expected = ValueView(reading: &reader) else { return nil }
      self.expected = expected
    } else {
      expected = nil
    }
    ttl = flags & Flag.ttl != 0 ? reader.integer() : 0
    if reader.failed { return nil }
  }

  package func operation() throws(HubError) -> WriteOperation {
    .set(
      try StoreReference(store), try value.checked(),
      condition: WriteCondition(
        revision: flags & ConditionFlag.revision != 0 ? revision : nil,
        epoch: flags & ConditionFlag.epoch != 0 ? epoch : nil,
        value: try expected?.checked(), absent: flags & ConditionFlag.absent != 0),
      lifetime: Lifetime(
        ttl: flags & Flag.ttl != 0 ? ttl : nil, ephemeral: flags & Flag.ephemeral != 0),
      force: flags & Flag.force != 0)
  }

  static func encode(
    _ store: StoreReference, _ value: Value, _ condition: WriteCondition, _ lifetime: Lifetime, force: Bool,
    _ id: UInt32, into out: inout OutputBuffer
  ) {
    let flags =
      condition.flags | (force ? Flag.force : 0) | (lifetime.ttl != nil ? Flag.ttl : 0)
      | (lifetime.ephemeral ? Flag.ephemeral : 0)
    out.frame(WriteKind.set.rawValue, flags: flags, request: id) { out in
      out.append(store)
      out.append(value)
      out.append(condition)
      if let ttl = lifetime.ttl { out.append(ttl) }
    }
  }
}

extension ValueView {
  /// An owned copy; invalid text is refused, not repaired.
  package func checked() throws(HubError) -> Value {
    if let problem = contentProblem { throw problem }
    return value
  }
}
