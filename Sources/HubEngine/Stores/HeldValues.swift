// Partially sent values: in their stores as long as these keep them, then each in its former block. Nothing is copied.

import HubCore

/// The blocks of stores that connections still need: at most as many as stores have.
final class HeldValues {
  private var frames: [UnsafeMutableRawPointer: HeldFrame] = [:]
  private let tally = HeldFrame.Tally()
  /// With so many, the ones that are no longer needed are collected.
  private var enough = HeldValues.few

  private static let few = 16

  var isEmpty: Bool { frames.isEmpty }
  var count: Int { frames.count }
  /// The memory of blocks that no longer belong to stores, in bytes.
  var bytesAside: Int { tally.bytes }

  /// Holds a store's block: a value of `length` bytes.
  func hold(_ block: UnsafeMutableRawPointer, length: Int) -> HeldFrame {
    if let frame = frames[block] { return frame }
    if frames.count >= enough { forgetUnneeded() }
    let frame = HeldFrame(.store(block), length: length, tally)
    frames[block] = frame
    return frame
  }

  private func forgetUnneeded() {
    for block in Array(frames.keys) where isKnownUniquelyReferenced(&frames[block]!) { frames[block] = nil }
    enough = max(HeldValues.few, 2 * frames.count)
  }

  /// The store is about to write over a block of this capacity, or to free it.
  ///
  /// - Returns: whether a connection needs it; then it no longer belongs to the store.
  func take(_ block: UnsafeMutableRawPointer, capacity: Int) -> Bool {
    guard frames[block] != nil else { return false }
    let isNeeded = !isKnownUniquelyReferenced(&frames[block]!)
    let frame = frames.removeValue(forKey: block)!
    if isNeeded { frame.setAside(in: block, memory: capacity) }
    return isNeeded
  }
}

extension StoreTable {
  /// Pins the store's value for a partially sent reply; nil: it is too short for a block.
  func holdValue(of slot: Int) -> HeldFrame? {
    let cell = records[slot].cell
    return cell.block.map { held.hold($0, length: Int(cell.count)) }
  }

  /// The store is about to write over its block, or to free it: one that a connection needs no longer belongs to the
  /// store.
  mutating func giveUpHeldBlock(of slot: Int) {
    let cell = records[slot].cell
    guard !held.isEmpty, let block = cell.block, held.take(block, capacity: Int(cell.capacity)) else {
      return
    }
    records[slot].cell.block = nil
    records[slot].cell.capacity = 0
    hasSetAside = true
  }
}
