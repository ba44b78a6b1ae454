// The hash index from names to slots: open addressing, seeded per process against chosen collisions. It holds no names.

import HubCore

/// Linear probing over a power of two of buckets, at most half full, and not much less than an eighth. Each bucket holds a slot and its name's hash, so names
/// are compared only when they are almost certainly equal, and growing reads no name. It is in many parts, each of which grows
/// by itself: to grow all at once takes milliseconds in which no client is served.
struct NameIndex: ~Copyable {
  private let parts: UnsafeMutablePointer<Part>
  private let seed: UInt64

  /// The part is in the highest bits of a hash.
  static let partShift = 24
  private static let partCount = 1 << (UInt32.bitWidth - partShift)

  init() {
    parts = .allocate(capacity: NameIndex.partCount)
    for part in 0..<NameIndex.partCount { (parts + part).initialize(to: Part()) }
    seed = .random(in: .min ... .max)
  }

  deinit {
    for part in 0..<NameIndex.partCount { parts[part].deallocate() }
    parts.deallocate()
  }

  /// Multiplies and folds eight bytes at a time (the scheme of wyhash).
  @inline(__always)
  func hash(_ name: ByteView) -> UInt32 {
    var state = seed ^ UInt64(truncatingIfNeeded: name.count)
    var offset = 0
    while offset + 8 <= name.count {
      state = NameIndex.fold(state ^ name.load(UInt64.self, at: offset), 0xA076_1D64_78BD_642F)
      offset += 8
    }
    // The rest, at most seven bytes, in pieces of four, two and one.
    var rest: UInt64 = 0
    if offset + 4 <= name.count {
      rest = UInt64(name.load(UInt32.self, at: offset))
      offset += 4
    }
    if offset + 2 <= name.count {
      rest = rest << 16 | UInt64(name.load(UInt16.self, at: offset))
      offset += 2
    }
    if offset < name.count { rest = rest << 8 | UInt64(name[offset]) }
    return UInt32(truncatingIfNeeded: NameIndex.fold(state ^ rest, 0xE703_7ED1_A0B4_28DB))
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Where to look for a name with this hash.
  @inline(__always)
  func probe(_ hash: UInt32) -> Probe {
    let part = part(of: hash)
    return Probe(
      buckets: UnsafePointer(part.pointee.buckets), mask: part.pointee.mask,
      place: part.pointee.home(of: hash),
      hash: hash)
  }

  /// The bits that choose the part are not those that choose the slot in it.
  @inline(__always)
  private func part(of hash: UInt32) -> UnsafeMutablePointer<Part> {
    parts + Int(hash >> NameIndex.partShift)
  }

  mutating func insert(_ slot: Int, hash: UInt32) {
    part(of: hash).pointee.insert(Bucket(slot: Int32(slot), hash: hash))
  }

  /// Makes room for so many more names in the part that one with this hash belongs to.
  mutating func reserve(_ more: Int, hash: UInt32) { part(of: hash).pointee.reserve(more) }

  /// Replaces a slot with another one of the same name.
  mutating func replace(_ slot: Int, by other: Int, hash: UInt32) {
    part(of: hash).pointee.replace(Int32(slot), by: Int32(other), hash: hash)
  }

  mutating func remove(_ slot: Int, hash: UInt32) { part(of: hash).pointee.remove(Int32(slot), hash: hash) }
}

extension NameIndex {
  struct Bucket {
    var slot: Int32
    var hash: UInt32
    static let empty = Bucket(slot: -1, hash: 0)
  }

  /// The slots whose names have a hash, and none after them. Valid until the index changes.
  struct Probe {
    fileprivate let buckets: UnsafePointer<Bucket>
    fileprivate let mask: Int
    fileprivate var place: Int
    fileprivate let hash: UInt32

    @inline(__always)
    mutating func next() -> Int? {
      while true {
        let bucket = buckets[place]
        if bucket.slot < 0 { return nil }
        place = (place + 1) & mask
        if bucket.hash == hash { return Int(bucket.slot) }
      }
    }
  }

  /// A separate table. The index owns its memory.
  struct Part {
    fileprivate var buckets: UnsafeMutablePointer<Bucket>
    fileprivate var mask: Int
    private var count = 0

    /// The only bucket of all parts without entries, so that an empty index allocates none. It is never written: the first entry
    /// finds it too full.
    nonisolated(unsafe) private static let empty = {
      let bucket = UnsafeMutablePointer<Bucket>.allocate(capacity: 1)
      bucket.initialize(to: .empty)
      return bucket
    }()

    fileprivate init() {
      buckets = Part.empty
      mask = 0
    }

    private init(capacity: Int) {
      buckets = .allocate(capacity: capacity)
      buckets.initialize(repeating: .empty, count: capacity)
      mask = capacity - 1
    }

    fileprivate func deallocate() {
      if mask > 0 { buckets.deallocate() }
    }

    @inline(__always)
    fileprivate func home(of hash: UInt32) -> Int { Int(hash) & mask }

    private func after(_ place: Int) -> Int { (place + 1) & mask }

    fileprivate mutating func insert(_ bucket: Bucket) {
      if (count + 1) * 2 > mask + 1 { resize(to: max(4, 2 * (mask + 1))) }
      put(bucket)
    }

    private mutating func put(_ bucket: Bucket) {
      var place = home(of: bucket.hash)
      while buckets[place].slot >= 0 { place = after(place) }
      buckets[place] = bucket
      count += 1
    }

    /// Removes the entry and closes the gap, so that no probe ever crosses a hole.
    fileprivate mutating func remove(_ slot: Int32, hash: UInt32) {
      var hole = home(of: hash)
      while buckets[hole].slot != slot {
        precondition(buckets[hole].slot >= 0, "a store that is not in the index")
        hole = after(hole)
      }
      var place = after(hole)
      while buckets[place].slot >= 0 {
        // The entry may move unless its home lies cyclically after the hole.
        if (place - home(of: buckets[place].hash)) & mask >= (place - hole) & mask {
          buckets[hole] = buckets[place]
          hole = place
        }
        place = after(place)
      }
      buckets[hole] = .empty
      count -= 1
      if (count + 1) * 8 < mask + 1 { resize(to: (mask + 1) / 4) }
    }

    fileprivate mutating func replace(_ slot: Int32, by other: Int32, hash: UInt32) {
      var place = home(of: hash)
      while buckets[place].slot != slot {
        precondition(buckets[place].slot >= 0, "a store that is not in the index")
        place = after(place)
      }
      buckets[place].slot = other
    }

    fileprivate mutating func reserve(_ more: Int) {
      var capacity = max(4, mask + 1)
      while (count + more) * 2 > capacity { capacity *= 2 }
      if capacity > mask + 1 { resize(to: capacity) }
    }

    private mutating func resize(to capacity: Int) {
      var other = Part(capacity: capacity)
      for place in 0...mask where buckets[place].slot >= 0 { other.put(buckets[place]) }
      deallocate()
      self = other
    }
  }
}
