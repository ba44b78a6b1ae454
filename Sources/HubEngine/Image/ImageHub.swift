// The hub itself as an image describes it: numbers, positions, and since when clients have had their rights.

import HubCore

/// The first part of an image.
struct ImageHub {
  var epoch = Epoch(high: 0, low: 0)
  var revision: Revision = 0
  var lastSerial: UInt64 = 0
  /// Of the change log, like the next two.
  var head: UInt64 = 0
  var tail: UInt64 = 0
  var capacity: UInt64 = 0
  /// After which revision the change log begins.
  var tailRevision: Revision = 0
  /// Of the remembered removals.
  var floor: UInt64 = 0
  var floorRevision: Revision = 0
  var used: UInt64 = 0
  var accessFloor: Revision = 0
  var openFrom: Revision = 0

  private static let numbers: [any WritableKeyPath<ImageHub, UInt64> & Sendable] = [
    \.revision, \.lastSerial, \.head, \.tail, \.capacity, \.tailRevision, \.floor, \.floorRevision, \.used,
    \.accessFloor, \.openFrom,
  ]

  init(_ engine: borrowing HubEngine) {
    (epoch, revision, lastSerial) = (engine.epoch, engine.revision, engine.lastSerial)
    (head, tail) = (engine.history.log.head, engine.history.log.tail)
    (capacity, tailRevision) = (UInt64(engine.history.log.capacity), engine.history.log.tailRevision)
    (floor, floorRevision) = (engine.history.removals.floor, engine.history.removals.floorRevision)
    used = UInt64(engine.stores.used)
    (accessFloor, openFrom) = (engine.stores.permissions.floor, engine.stores.permissions.openFrom)
  }

  /// - Returns: nil if it is too short, or contradicts itself.
  init?(_ reader: inout ByteReader) {
    epoch = reader.epoch()
    for number in ImageHub.numbers { self[keyPath: number] = reader.integer() }
    guard !reader.failed, 64...1 << 40 ~= capacity, tail <= head, head - tail <= capacity, floor <= head,
      floorRevision <= revision,
      head <= UInt64(Int64.max) / 2, revision <= UInt64(Int64.max), lastSerial < StoreID.serialLimit,
      used <= UInt64(StoreTable.maximumSlots), accessFloor <= revision
    else { return nil }
  }

  func write(to out: inout OutputBuffer) {
    out.append(epoch)
    for number in ImageHub.numbers { out.append(self[keyPath: number]) }
  }
}
