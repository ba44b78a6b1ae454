// The members of patterns in an image: finding them again would take time for every pair of a pattern and a store, during which no client is served.

import HubCore

/// `isLast: u8`, then the members' slots in the order of their last changes, `i32` each. The frames follow the first
/// watch that uses the pattern. The list of matching stores is trusted, as the stores' values are.
extension ImageWriter {
  /// The members in one frame.
  private static let membersPerFrame = 16 << 10

  mutating func write(members index: Int32, of patterns: borrowing PatternTable, _ stores: borrowing Stores) {
    // `**` exists without a watch, and a single name is looked up.
    guard index != PatternTable.everything, patterns[index].stage == .whole,
      !patterns[index].pattern.isLiteral
    else { return }
    var (place, end) = (0, patterns[index].order.count)
    repeat {
      frame(ImageKind.members.rawValue) { out in
        let next = min(end, place + ImageWriter.membersPerFrame)
        out.append(next == end ? 1 as UInt8 : 0)
        while place < next {
          let entry = patterns[index].order[place]
          if entry.isCurrent(in: stores) { out.append(entry.slot) }
          place += 1
        }
      }
    } while place < end
  }
}

extension EngineBuilder {
  mutating func takeMembers(_ reader: inout ByteReader) throws(ImageError) {
    let index = newestPattern
    guard index >= 0, engine.feed.patterns[index].stage == .building,
      !engine.feed.patterns[index].pattern.isLiteral
    else { throw EngineBuilder.damaged }
    let isLast = reader.integer(UInt8.self) != 0
    var newest = engine.feed.patterns[index].order.last?.position ?? 0
    while reader.remaining > 0 {
      let slot = Int(reader.integer(Int32.self))
      guard !reader.failed, slot >= 0, slot < engine.stores.used, engine.stores[slot].id.raw != 0,
        engine.stores[slot].position > newest, engine.stores[slot].patternCount < .max
      else { throw EngineBuilder.damaged }
      newest = engine.stores[slot].position
      engine.feed.patterns.join(index, slot, stores: &engine.stores)
    }
    if isLast { engine.feed.patterns.becomeWhole(index) }
  }

  /// Finds the members that the image does not contain: those of names.
  mutating func findMembers() throws(ImageError) {
    var effort = Effort(.max)
    for index in 0..<engine.feed.patterns.limit where engine.feed.patterns[index].stage == .building {
      guard engine.feed.patterns[index].order.members == 0 else { throw EngineBuilder.damaged }
      _ = engine.feed.patterns.build(index, stores: &engine.stores, &effort)
    }
  }
}
