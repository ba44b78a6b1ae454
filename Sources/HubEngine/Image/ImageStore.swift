// A store as an image describes it, on its way into the table of stores.

import HubCore

/// What an image says of a store besides its name, schema and value.
struct ImageStore {
  var revision: Revision
  var version: UInt64
  var time: Int64
  var position: UInt64
  var deadline: UInt64
  var uid: UInt32
  /// The session, as the image numbers it.
  var owner: Int32
  var isDeclared: Bool
  var isStored = false
  var creator = StoreRecord.byHub
}

extension ByteReader {
  /// Earlier releases counted lifetimes: their number comes first.
  mutating func ownerBehindAnUnusedNumber() -> Int32 {
    _ = integer(UInt32.self)
    return integer()
  }
}

extension StoreTable {
  mutating func apply(_ image: ImageStore, to slot: Int) {
    self[slot].revision = image.revision
    self[slot].version = image.version
    self[slot].time = image.time
    self[slot].position = image.position
    self[slot].deadline = image.deadline
    self[slot].uid = image.uid
    self[slot].owner = image.owner
    self[slot].isDeclared = image.isDeclared
    self[slot].isStored = image.isStored
    self[slot].creator = image.creator
  }
}
