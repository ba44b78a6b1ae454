// The hub itself as an image describes it: numbers and positions, and who could read what since when.

import HubCore

/// The first part of an image. Releases have appended fields; an image of an earlier one ends before them.
struct ImageHub {
  var epoch: Epoch
  var revision: Revision
  var lastSerial: UInt64
  var head: UInt64
  var tail: UInt64
  var capacity: UInt64
  var floor: UInt64
  var floorRevision: Revision
  var used: UInt32
  var started: Int64
  /// After which revision the change log begins.
  var tailRevision: Revision
  var accessFloor: Revision
  var openFrom: Revision

  init(_ engine: borrowing HubEngine) {
    (epoch, revision, lastSerial) = (engine.epoch, engine.revision, engine.lastSerial)
    (head, tail) = (engine.history.log.head, engine.history.log.tail)
    capacity = UInt64(engine.history.log.capacity)
    (floor, floorRevision) = (engine.history.removals.floor, engine.history.removals.floorRevision)
    (used, started) = (UInt32(engine.stores.used), engine.started)
    tailRevision = engine.history.log.tailRevision
    (accessFloor, openFrom) = (engine.stores.permissions.floor, engine.stores.permissions.openFrom)
  }

  /// - Returns: nil if it is too short, or contradicts itself.
  init?(_ reader: inout ByteReader) {
    (epoch, revision, lastSerial) = (reader.epoch(), reader.integer(), reader.integer())
    (head, tail, capacity) = (reader.integer(), reader.integer(), reader.integer())
    (floor, floorRevision) = (reader.integer(), reader.integer())
    (used, started) = (reader.integer(), reader.integer())
    tailRevision = reader.remaining > 0 ? reader.integer() : .max
    accessFloor = reader.remaining > 0 ? reader.integer() : 0
    // An earlier release did not tell who was concerned: everybody.
    openFrom = reader.remaining > 0 ? reader.integer() : accessFloor == 0 ? 0 : accessFloor &+ 1
    guard !reader.failed, tail <= head, head - tail <= capacity, floor <= head, floorRevision <= revision,
      head <= UInt64(Int64.max) / 2, revision <= UInt64(Int64.max), lastSerial < 1 << 40,
      accessFloor <= revision
    else { return nil }
  }

  func write(to out: inout OutputBuffer) {
    out.append(epoch)
    out.append(revision)
    out.append(lastSerial)
    out.append(head)
    out.append(tail)
    out.append(capacity)
    out.append(floor)
    out.append(floorRevision)
    out.append(used)
    out.append(started)
    out.append(tailRevision)
    out.append(accessFloor)
    out.append(openFrom)
  }
}
