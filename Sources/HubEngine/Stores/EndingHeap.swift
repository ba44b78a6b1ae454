// Stores whose values expire, the next one first. Each store's record has its position here, so removal needs no
// search, and no entry is ever outdated.

import HubCore

/// A binary heap by time, and by number among those that end at the same time.
struct EndingHeap {
  struct Entry {
    /// In CLOCK_BOOTTIME nanoseconds.
    var time: UInt64
    var id: StoreID

    fileprivate static func < (a: Entry, b: Entry) -> Bool {
      a.time != b.time ? a.time < b.time : a.id.raw < b.id.raw
    }
  }

  /// Which of a record's two places it keeps.
  enum Cause {
    case deadline
    case owner
  }

  private let cause: Cause
  private var entries: [Entry] = []

  init(_ cause: Cause) { self.cause = cause }

  var first: Entry? { entries.first }
  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  /// In the order of the heap: adding them in that order to an empty one makes the same.
  var all: [StoreID] { entries.map(\.id) }

  /// Adds a store that is not in it.
  mutating func add(_ entry: Entry, _ table: inout StoreTable) {
    entries.append(entry)
    rise(entries.count - 1, &table)
  }

  /// Takes a store out, if it is in it.
  mutating func remove(_ slot: Int, _ table: inout StoreTable) {
    let place = place(of: slot, table)
    guard place >= 0 else { return }
    setPlace(-1, of: slot, &table)
    let last = entries.removeLast()
    defer { giveBack() }
    guard place < entries.count else { return }
    entries[place] = last
    if place > 0, last < entries[(place - 1) / 2] { rise(place, &table) } else { sink(place, &table) }
  }

  /// Memory that most of the stores have left.
  private mutating func giveBack() {
    guard entries.capacity > EndingHeap.small, entries.count < entries.capacity / 8 else { return }
    var others: [Entry] = []
    others.reserveCapacity(entries.capacity / 4)
    others += entries
    entries = others
  }

  private static let small = 1 << 10

  private mutating func rise(_ start: Int, _ table: inout StoreTable) {
    let entry = entries[start]
    var place = start
    while place > 0, entry < entries[(place - 1) / 2] {
      put(entries[(place - 1) / 2], at: place, &table)
      place = (place - 1) / 2
    }
    put(entry, at: place, &table)
  }

  private mutating func sink(_ start: Int, _ table: inout StoreTable) {
    let entry = entries[start]
    var place = start
    while 2 * place + 1 < entries.count {
      var child = 2 * place + 1
      if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
      guard entries[child] < entry else { break }
      put(entries[child], at: place, &table)
      place = child
    }
    put(entry, at: place, &table)
  }

  private mutating func put(_ entry: Entry, at place: Int, _ table: inout StoreTable) {
    entries[place] = entry
    setPlace(Int32(place), of: entry.id.slot, &table)
  }

  private func place(of slot: Int, _ table: borrowing StoreTable) -> Int {
    switch cause {
    case .deadline: Int(table[slot].deadlinePlace)
    case .owner: Int(table[slot].ownerPlace)
    }
  }

  private func setPlace(_ place: Int32, of slot: Int, _ table: inout StoreTable) {
    switch cause {
    case .deadline: table[slot].deadlinePlace = place
    case .owner: table[slot].ownerPlace = place
    }
  }
}
