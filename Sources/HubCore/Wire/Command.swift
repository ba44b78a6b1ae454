// Requests as the hub reads them: borrowed from the frame, checked for shape, with nothing allocated for the usual ones.

/// A store as a request names it: by name, or if that is empty by number.
struct StoreKey {
  let name: ByteView
  let id: StoreID

  @inline(__always)
  init(reading reader: inout ByteReader) {
    name = reader.shortBytes()
    id = StoreID(raw: name.isEmpty ? reader.integer() : 0)
  }

  /// For errors.
  var label: String { name.isEmpty ? "store \(id)" : name.text }
}

struct SetCommand {
  let store: StoreKey
  let value: ValueView
  let flags: UInt8
  let revision: Revision
  let epoch: Epoch
  let expected: ValueView?
  let ttl: UInt64

  @inline(__always)
  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    flags = frame.flags
    store = StoreKey(reading: &reader)
    guard let value = ValueView(reading: &reader) else { return nil }
    self.value = value
    revision = flags & RequestFlag.ifRevision != 0 ? reader.integer() : 0
    epoch = flags & RequestFlag.ifEpoch != 0 ? reader.epoch() : Epoch(high: 0, low: 0)
    if flags & RequestFlag.ifValue != 0 {
      guard let expected = ValueView(reading: &reader) else { return nil }
      self.expected = expected
    } else {
      expected = nil
    }
    ttl = flags & RequestFlag.ttl != 0 ? reader.integer() : 0
    if reader.failed { return nil }
  }
}

struct AddCommand {
  let store: StoreKey
  let delta: ValueView
  let clamp: Bool

  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    store = StoreKey(reading: &reader)
    guard let delta = ValueView(reading: &reader) else { return nil }
    self.delta = delta
    clamp = frame.flags & RequestFlag.clamp != 0
  }
}

/// `get`, `toggle`, `reset`, `describe`: a store and nothing else.
struct StoreCommand {
  let store: StoreKey

  @inline(__always)
  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    store = StoreKey(reading: &reader)
    if reader.failed { return nil }
  }
}

struct RemoveCommand {
  let store: StoreKey
  let flags: UInt8
  let revision: Revision
  let epoch: Epoch

  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    flags = frame.flags
    store = StoreKey(reading: &reader)
    revision = flags & RequestFlag.ifRevision != 0 ? reader.integer() : 0
    epoch = flags & RequestFlag.ifEpoch != 0 ? reader.epoch() : Epoch(high: 0, low: 0)
    if reader.failed { return nil }
  }
}

struct CreateCommand {
  let name: ByteView
  let schema: Schema
  let ifAbsent: Bool

  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    name = reader.shortBytes()
    guard let schema = reader.schema() else { return nil }
    self.schema = schema
    ifAbsent = frame.flags & RequestFlag.ifAbsent != 0
  }
}

struct WatchCommand {
  let policy: WatchPolicy
  let bookmark: Bookmark?
  let schemas: Bool
  let patterns: [String]

  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    policy = frame.flags & RequestFlag.every != 0 ? .every : .latest
    schemas = frame.flags & RequestFlag.schemas != 0
    if frame.flags & RequestFlag.bookmark != 0 {
      let epoch = reader.epoch()
      bookmark = Bookmark(epoch: epoch, revision: reader.integer())
    } else {
      bookmark = nil
    }
    var patterns: [String] = []
    for _ in 0..<Int(reader.integer(UInt16.self)) {
      patterns.append(reader.shortBytes().text)
      if reader.failed { return nil }
    }
    self.patterns = patterns
    if reader.failed { return nil }
  }
}

struct HelloCommand {
  let magic: UInt32
  let minimumVersion: UInt16
  let maximumVersion: UInt16
  let capabilities: UInt64
  let name: String

  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    magic = reader.integer()
    minimumVersion = reader.integer()
    maximumVersion = reader.integer()
    capabilities = reader.integer()
    // A name that is not UTF-8 is not shown as something else.
    guard let name = String(validating: reader.shortBytes().buffer, as: UTF8.self) else { return nil }
    self.name = name
    if reader.failed { return nil }
  }
}

struct ListCommand {
  let limit: UInt32
  let pattern: String
  let after: ByteView

  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    limit = reader.integer()
    pattern = reader.shortBytes().text
    after = reader.shortBytes()
    if reader.failed { return nil }
  }
}

struct ClientsCommand {
  let limit: UInt32
  let after: Int32

  init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    limit = reader.integer()
    after = reader.integer()
    if reader.failed { return nil }
  }
}
