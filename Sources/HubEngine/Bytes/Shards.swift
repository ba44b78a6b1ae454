// A dictionary in many parts, so that it grows a little at a time: growing one with 100,000 keys takes ten milliseconds, during which no client is
// served.

import HubCore

/// A key that knows its part.
protocol ShardedKey: Hashable {
  /// Any number, but the same for equal keys; the more evenly its low eight bits are spread, the better.
  var shard: Int { get }
}

struct Shards<Key: ShardedKey, Value> {
  private var parts: [[Key: Value]] = Array(repeating: [:], count: Shards.partCount)
  private(set) var count = 0

  private static var partCount: Int { 256 }

  init() {}

  subscript(key: Key) -> Value? {
    get { parts[key.shard & (Shards.partCount - 1)][key] }
    set {
      let part = key.shard & (Shards.partCount - 1)
      count -= parts[part].count
      parts[part][key] = newValue
      count += parts[part].count
    }
  }
}
