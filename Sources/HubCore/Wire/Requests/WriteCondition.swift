// The conditions of writes and their layout: after a write's other fields come those that its flags name.

/// The conditions of a conditional write. All of them must hold, or the write fails with `conflict`.
public struct WriteCondition: Hashable, Sendable {
  /// The revision of the store's last change; 0 if there must be no such store.
  public var revision: Revision?
  /// The epoch of `revision`.
  public var epoch: Epoch?
  /// The value that the store must have.
  public var value: Value?
  /// Whether there must be no such store.
  public var absent: Bool

  /// Makes conditions that must all hold; by default, none.
  public init(revision: Revision? = nil, epoch: Epoch? = nil, value: Value? = nil, absent: Bool = false) {
    self.revision = revision
    self.epoch = epoch
    self.value = value
    self.absent = absent
  }

  /// No condition.
  public static let none = WriteCondition()
}

@usableFromInline package enum ConditionFlag {
  @inlinable package static var revision: UInt8 { 1 << 0 }
  @inlinable package static var epoch: UInt8 { 1 << 1 }
  @inlinable package static var value: UInt8 { 1 << 2 }
  @inlinable package static var absent: UInt8 { 1 << 3 }
  @inlinable package static var any: UInt8 { revision | epoch | value | absent }
}

extension WriteCondition {
  var flags: UInt8 {
    (revision != nil ? ConditionFlag.revision : 0) | (epoch != nil ? ConditionFlag.epoch : 0)
      | (value != nil ? ConditionFlag.value : 0) | (absent ? ConditionFlag.absent : 0)
  }
}

extension OutputBuffer {
  package mutating func append(_ condition: WriteCondition) {
    if let revision = condition.revision { append(revision) }
    if let epoch = condition.epoch { append(epoch) }
    if let value = condition.value { append(value) }
  }
}
