// Stores that are loaded together, from a snapshot: first their records, then their names, one part of the index after another, so that memory is
// accessed in order. It checks no rule and announces no change.

import HubCore

/// Names that are not in the index yet.
struct StagedNames: ~Copyable {
  fileprivate var buckets = Table<NameIndex.Bucket>()

  var isEmpty: Bool { @inline(__always) get { buckets.isEmpty } }
}

extension StoreTable {
  /// Makes a store without a value, whose schema says only its type. Neither `find` nor `unlink` may be asked for it before
  /// `link`. Slots must come in ascending order; those between are free.
  ///
  /// - Returns: false if its slot lies before one that was used.
  @inline(__always)
  mutating func stage(
    _ id: StoreID, name: ByteView, type: ValueType, in staged: inout StagedNames
  ) -> Bool {
    guard id.slot >= used else { return false }
    leaveFree(upTo: id.slot + 1)
    put(id, name: name, type: type)
    records[id.slot].durability = plainDurability
    staged.buckets.append(NameIndex.Bucket(slot: Int32(id.slot), hash: names.hash(name)))
    lastSerial = max(lastSerial, id.serial)
    count += 1
    return true
  }

  /// Makes the names of staged stores find them. Of two with the same name the younger one counts.
  ///
  /// - Returns: the slots of the others, which neither their names nor their numbers find.
  mutating func link(_ staged: inout StagedNames) -> [Int] {
    var lost: [Int] = []
    let order = StagedNames.partitioned(staged.buckets)
    var start = 0
    while start < order.count {
      let part = order[start].hash >> NameIndex.partShift
      var end = start
      while end < order.count, order[end].hash >> NameIndex.partShift == part { end += 1 }
      names.reserve(end - start, hash: order[start].hash)
      for place in start..<end { link(order[place], &lost) }
      start = end
    }
    staged = StagedNames()
    return lost
  }

  @inline(__always)
  private mutating func link(_ bucket: NameIndex.Bucket, _ lost: inout [Int]) {
    let slot = Int(bucket.slot)
    var probe = names.probe(bucket.hash)
    while let other = probe.next() {
      guard name(of: other).equals(name(of: slot)) else { continue }
      let isYounger = records[slot].id.serial > records[other].id.serial
      if isYounger { names.replace(other, by: slot, hash: bucket.hash) }
      return lose(isYounger ? other : slot, &lost)
    }
    names.insert(slot, hash: bucket.hash)
  }

  private mutating func lose(_ slot: Int, _ lost: inout [Int]) {
    records[slot].id = StoreID(raw: 0)
    count -= 1
    valueBytes -= Int(records[slot].cell.count)
    lost.append(slot)
  }
}

extension StagedNames {
  /// The names in the order of the index's parts, and within each in the order in which they came.
  fileprivate static func partitioned(_ buckets: borrowing Table<NameIndex.Bucket>) -> [NameIndex.Bucket] {
    let parts = 1 << (UInt32.bitWidth - NameIndex.partShift)
    var ends = [Int](repeating: 0, count: parts)
    for place in buckets.indices { ends[Int(buckets[place].hash >> NameIndex.partShift)] += 1 }
    var sum = 0
    for part in 0..<parts { (ends[part], sum) = (sum, sum + ends[part]) }
    return [NameIndex.Bucket](unsafeUninitializedCapacity: buckets.count) { order, count in
      for place in buckets.indices {
        let bucket = buckets[place]
        let part = Int(bucket.hash >> NameIndex.partShift)
        order.initializeElement(at: ends[part], to: bucket)
        ends[part] += 1
      }
      count = buckets.count
    }
  }
}
