// One store in memory: the fields that requests and deliveries need.

import HubCore

/// One store. Plain data: the table that holds it owns the memory of its name and of a long value, and alone changes `cell`,
/// `durability`, `schema` and the name. It has many fields so that
/// one address leads to all that a request or a delivery asks of a store.
struct StoreRecord {
  // First, so that a short value is in its record.
  var cell: ValueCell
  /// `StoreID(raw: 0)` marks a free slot.
  var id: StoreID
  var revision: Revision
  var version: UInt64
  var time: Int64
  /// Where its last change ends in the change log.
  var position: UInt64
  /// CLOCK_BOOTTIME nanoseconds at which its value ends; 0: never.
  var deadline: UInt64 = 0
  var uid: UInt32
  /// The first of its memberships in patterns besides `**`, -1: none.
  var memberships: Int32 = -1
  /// The session whose end ends its value; -1: none.
  var owner: Int32 = -1
  /// Its places in `Lifetimes`; -1: it is not there.
  var deadlinePlace: Int32 = -1
  var ownerPlace: Int32 = -1
  /// The user who created it, to whom it belongs; `byHub`: the hub itself.
  var creator: UInt32 = StoreRecord.byHub
  /// The number of the access rule that decides on it.
  var rule: Int32 = 0
  var type: ValueType
  /// A value can break a rule of its schema.
  var hasRules = false
  var isDeclared = false
  /// What a write to it promises: its schema's durability, or the hub's default.
  var durability = Durability.volatile
  /// The journal has its value.
  var isStored = false
  var nameLength: UInt8
  /// How many patterns it is a member of, `**` included; 0: its creation is not noted yet.
  var patternCount: UInt16 = 0
  /// The slot of its schema, if it has more than a type; otherwise -1.
  var schema: Int32 = -1
  var nameBase: UnsafeMutableRawPointer
}
