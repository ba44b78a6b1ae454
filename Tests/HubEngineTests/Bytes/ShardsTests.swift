// A dictionary in parts, and a table whose records come and go, by themselves.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Small containers")
struct ShardsTests {
  private struct Number: ShardedKey {
    var raw: Int
    var shard: Int { raw }
  }

  @Test(
    "a dictionary in parts is one dictionary: keys come, change and go", arguments: 0..<4 as Range<UInt64>)
  func shards(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (shards, model) = (Shards<Number, Int>(), [Number: Int]())
    for step in 0..<20_000 {
      // Also negative numbers, and many of one part.
      let key = Number(
        raw: Int.random(in: -300...300, using: &random) * [1, 256].randomElement(using: &random)!)
      let value = Bool.random(using: &random) ? step : nil
      shards[key] = value
      model[key] = value
      #expect(shards.count == model.count)
    }
    for raw in -300...300 {
      for factor in [1, 256] {
        #expect(shards[Number(raw: raw * factor)] == model[Number(raw: raw * factor)])
      }
    }
  }

  @Test("a record keeps its index until it goes, and the next that comes has it then")
  func pool() {
    var pool = Pool<Int>()
    let indices = (0..<5).map { pool.add($0) }
    #expect(indices == [0, 1, 2, 3, 4] && pool.count == 5)
    pool.remove(3)
    pool.remove(1)
    #expect(pool.count == 3 && pool[4] == 4)
    #expect(pool.add(10) == 1 && pool.add(30) == 3 && pool.add(50) == 5)
    #expect((0..<6).map { pool[$0] } == [0, 10, 2, 30, 4, 50])
  }
}
