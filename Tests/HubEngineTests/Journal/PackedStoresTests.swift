// Stores packed for a snapshot: whatever is packed is read back, and nothing else is taken for a store.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Packed stores")
struct PackedStoresTests {
  /// A frame of stores, packed.
  private static func pack(_ samples: [KeptStore]) -> [UInt8] {
    var out = OutputBuffer()
    var packed = PackedStoresWriter(into: &out)
    for sample in samples {
      let (schema, state) = (sample.schema, sample.state)
      let facts = PackedStores.Facts(
        id: state.id, revision: state.revision, version: state.version, time: state.time, uid: state.uid,
        creator: sample.creator ?? StoreRecord.byHub)
      Array(sample.name.utf8).withByteView { name in
        state.value.bytes.withByteView { value in
          packed.append(
            facts, name: name, schema: schema == Schema(type: state.value.type) ? nil : schema,
            value: ValueView(type: state.value.type, bytes: value), lifetime: sample.lifetime, to: &out)
        }
      }
    }
    packed.end(in: &out)
    return out.array
  }

  /// What is read of a frame, up to what is no store.
  private static func read(_ frame: [UInt8]) -> (samples: [KeptStore], isWhole: Bool) {
    frame.withByteView { bytes in
      var samples: [KeptStore] = []
      PackedStores.each(in: FrameView(bytes: bytes)) { samples.append($0) }
      var reader = PackedStoresReader(FrameView(bytes: bytes))
      for _ in samples { _ = try? reader.next() }
      return (samples, (try? reader.next()) == false)
    }
  }

  private static func value(_ random: inout SeededGenerator) -> Value {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .integer(Int64(bitPattern: .random(in: 0 ... .max, using: &random)))
    case 1: .double(.random(in: -1e9...1e9, using: &random))
    case 2: .boolean(.random(using: &random))
    case 3: .string(String(repeating: "ü", count: .random(in: 0...90, using: &random)))
    case 4:
      .data((0..<Int.random(in: 0...300, using: &random)).map { _ in .random(in: 0...255, using: &random) })
    default: .json("{\"a\":\(Int.random(in: 0...9, using: &random))}")
    }
  }

  private static func schema(_ value: Value, _ random: inout SeededGenerator) -> Schema {
    var schema = Schema(type: value.type)
    if Int.random(in: 0..<3, using: &random) > 0 { return schema }
    if .random(using: &random) { schema.initial = value }
    if .random(using: &random) { schema.durability = .synced }
    if .random(using: &random) { schema.description = "what it is for" }
    return schema
  }

  /// Numbers near the last one, far from it, and at the ends of their range.
  private static func number(near last: UInt64, _ random: inout SeededGenerator) -> UInt64 {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .random(in: 0 ... .max, using: &random)
    case 1: [0, 1, .max, 1 << 63, 127, 128, 1 << 63 - 1].randomElement(using: &random)!
    case 2: last &- .random(in: 0...100_000, using: &random)
    default: last &+ .random(in: 0...200, using: &random)
    }
  }

  private static func samples(_ count: Int, _ random: inout SeededGenerator) -> [KeptStore] {
    var samples: [KeptStore] = []
    var (slot, serial, revision, time) = (-1, UInt64(0), UInt64(0), UInt64(0))
    let stem = ["a", "sensor.kitchen", String(repeating: "n", count: 200)].randomElement(using: &random)!
    for index in 0..<count {
      slot += .random(in: 0..<4, using: &random) == 0 ? .random(in: 1...40_000, using: &random) : 1
      serial = max(1, number(near: serial &+ 1, &random) & (StoreID.serialLimit - 1))
      revision = number(near: revision, &random)
      time = number(near: time, &random)
      let value = value(&random)
      let isOfOther = Int.random(in: 0..<4, using: &random) == 0
      let state = StoreState(
        id: StoreID(serial: serial, slot: slot), revision: revision,
        version: .random(using: &random) ? 1 : number(near: 1, &random), time: Int64(bitPattern: time),
        uid: isOfOther ? .random(in: 0...5, using: &random) : 1000, value: value)
      var lifetime: KeptLifetime?
      if Int.random(in: 0..<5, using: &random) == 0 {
        lifetime = KeptLifetime(
          deadline: number(near: 0, &random), remaining: number(near: 9, &random), written: -5,
          isEphemeral: .random(using: &random))
      }
      samples.append(
        KeptStore(
          name: "\(stem).\(index / 3)-\(index)", schema: schema(value, &random), state: state,
          creator: isOfOther ? nil : 1000, lifetime: lifetime))
    }
    return samples
  }

  @Test("random stores are read back as they were", arguments: 0..<40)
  func roundTrips(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let samples = PackedStoresTests.samples(.random(in: 0...60, using: &random), &random)
    let read = PackedStoresTests.read(PackedStoresTests.pack(samples))
    #expect(read.isWhole)
    #expect(read.samples == samples)
  }

  @Test(
    "a frame that ends earlier has only the stores that are whole, and is malformed unless it ends behind one"
  )
  func truncations() {
    var random = SeededGenerator(seed: 3)
    let samples = PackedStoresTests.samples(12, &random)
    let frame = PackedStoresTests.pack(samples)
    let borders = Set((0...samples.count).map { PackedStoresTests.pack(Array(samples.prefix($0))).count })
    for length in Frame.headerLength...frame.count {
      let read = PackedStoresTests.read(Array(frame.prefix(length)))
      #expect(read.samples == Array(samples.prefix(read.samples.count)), "\(length)")
      #expect(read.isWhole == borders.contains(length), "\(length)")
    }
  }

  @Test("stores whose numbers follow one another take a few bytes besides name and value")
  func small() {
    let samples = (0..<1000).map { index in
      KeptStore(
        name: "store.\(10_000_000_000 + index)", schema: Schema(type: .integer),
        state: StoreState(
          id: StoreID(serial: UInt64(index) + 1, slot: index), revision: UInt64(index) + 1, version: 1,
          time: 1_700_000_000_000_000_000 + Int64(index) * 2000, uid: 0, value: .integer(.max)),
        creator: 0, lifetime: nil)
    }
    #expect(PackedStoresTests.pack(samples).count < 1000 * 16)
  }

  @Test("a flipped bit never ends the process, and never makes a number that no store may have")
  func flips() {
    var random = SeededGenerator(seed: 5)
    var frame = PackedStoresTests.pack(PackedStoresTests.samples(20, &random))
    for bit in Frame.headerLength * 8..<frame.count * 8 {
      frame[bit / 8] ^= 1 << (bit % 8)
      var last = -1
      for sample in PackedStoresTests.read(frame).samples {
        let id = sample.state.id
        #expect(id.slot > last && id.serial > 0 && (try? StoreName(sample.name)) != nil)
        last = id.slot
      }
      frame[bit / 8] ^= 1 << (bit % 8)
    }
  }
}

@Suite("Numbers in few bytes")
struct PackedNumberTests {
  @Test("every number and every step between two is read back, and a number too long is refused")
  func roundTrips() {
    let numbers: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, 1 << 32, 1 << 62, 1 << 63 - 1, 1 << 63, .max]
    for number in numbers {
      for other in numbers {
        var out = OutputBuffer()
        out.append(packed: number)
        out.append(step: other, to: number)
        var reader = ByteReader(out.view)
        #expect(reader.packed() == number && reader.step(from: other) == number)
        #expect(!reader.failed && reader.remaining == 0)
      }
    }
    for bytes in [[UInt8](repeating: 0xFF, count: 9) + [2], [UInt8](repeating: 0x80, count: 11), [0x80]] {
      bytes.withByteView {
        var reader = ByteReader($0)
        _ = reader.packed()
        #expect(reader.failed)
      }
    }
  }
}
