// The hash index from names to slots: open addressing, seeded per process against chosen collisions. It holds no names.

/// Linear probing over a power of two of buckets, at most half full. Each bucket holds a slot and its name's hash, so names
/// are compared only when they are almost certainly equal, and growing reads no name.
struct NameIndex {
  private var places: [Entry]
  private var mask: Int
  private var count = 0
  private let seed: UInt64

  private struct Entry {
    var slot: Int32
    var hash: UInt32
    static let empty = Entry(slot: -1, hash: 0)
  }

  init() {
    places = Array(repeating: .empty, count: 128)
    mask = 127
    seed = .random(in: .min ... .max)
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
    // The rest, at most seven bytes, by as many of four, two and one as there are.
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

  @inline(__always) func start(_ hash: UInt32) -> Int { Int(hash) & mask }
  @inline(__always) func after(_ place: Int) -> Int { (place + 1) & mask }

  /// The slot in a bucket; nil where a probe ends.
  @inline(__always)
  func slot(at place: Int) -> Int? {
    let slot = places[place].slot
    return slot < 0 ? nil : Int(slot)
  }

  @inline(__always)
  func matches(_ place: Int, _ hash: UInt32) -> Bool { places[place].hash == hash }

  mutating func insert(_ slot: Int, hash: UInt32) {
    if (count + 1) * 2 > places.count { grow() }
    put(Entry(slot: Int32(slot), hash: hash))
    count += 1
  }

  /// Removes the entry and closes the gap, so that no probe ever crosses a hole.
  mutating func remove(_ slot: Int, hash: UInt32) {
    var hole = start(hash)
    while places[hole].slot != Int32(slot) {
      precondition(places[hole].slot >= 0, "a store that is not in the index")
      hole = after(hole)
    }
    var probe = after(hole)
    while places[probe].slot >= 0 {
      let home = start(places[probe].hash)
      // The entry may move unless its home lies cyclically after the hole.
      if (probe - home) & mask >= (probe - hole) & mask {
        places[hole] = places[probe]
        hole = probe
      }
      probe = after(probe)
    }
    places[hole] = .empty
    count -= 1
  }

  private mutating func put(_ entry: Entry) {
    var place = start(entry.hash)
    while places[place].slot >= 0 { place = after(place) }
    places[place] = entry
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: .empty, count: old.count * 2)
    mask = places.count - 1
    for entry in old where entry.slot >= 0 { put(entry) }
  }
}
