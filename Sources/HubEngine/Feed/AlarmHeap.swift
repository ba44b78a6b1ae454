// Times by key, with fast access to the earliest; each can be changed or removed without a search.

struct AlarmHeap<Key: Hashable> {
  private(set) var entries: [(time: UInt64, key: Key)] = []
  private var indices: [Key: Int] = [:]

  var first: (time: UInt64, key: Key)? { @inline(__always) get { entries.first } }
  var isEmpty: Bool { entries.isEmpty }
  /// Any key.
  var last: Key? { entries.last?.key }

  /// Adds a key, or changes its time.
  mutating func set(_ key: Key, to time: UInt64) {
    if let index = indices[key] {
      entries[index].time = time
      return settle(index)
    }
    entries.append((time, key))
    settle(entries.count - 1)
  }

  /// Takes a key out, if it is in it.
  mutating func remove(_ key: Key) {
    guard let index = indices.removeValue(forKey: key) else { return }
    let last = entries.removeLast()
    guard index < entries.count else { return }
    entries[index] = last
    settle(index)
  }

  /// Moves an entry to where it belongs: it is the only one that may be out of place.
  private mutating func settle(_ start: Int) {
    let entry = entries[start]
    var index = start
    while index > 0, entry.time < entries[(index - 1) / 2].time {
      put(entries[(index - 1) / 2], at: index)
      index = (index - 1) / 2
    }
    while 2 * index + 1 < entries.count {
      var child = 2 * index + 1
      if child + 1 < entries.count, entries[child + 1].time < entries[child].time { child += 1 }
      guard entries[child].time < entry.time else { break }
      put(entries[child], at: index)
      index = child
    }
    put(entry, at: index)
  }

  private mutating func put(_ entry: (time: UInt64, key: Key), at index: Int) {
    entries[index] = entry
    indices[entry.key] = index
  }
}
