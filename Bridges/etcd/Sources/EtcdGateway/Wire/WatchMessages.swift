// The request that makes a watch, and the lines of its stream.

struct WatchCreation: Encodable {
  let keys: EtcdKeys
  let revision: Int64
  let wantsPrevious: Bool

  private enum Outer: String, CodingKey { case create = "create_request" }

  private enum Keys: String, CodingKey {
    case startRevision = "start_revision"
    case previous = "prev_kv"
    case progress = "progress_notify"
  }

  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: Outer.self)
    let inner = outer.superEncoder(forKey: .create)
    try keys.encode(to: inner)
    var fields = inner.container(keyedBy: Keys.self)
    try fields.encode(number: revision, .startRevision)
    try fields.encode(flag: wantsPrevious, .previous)
    try fields.encode(true, forKey: .progress)
  }
}

struct WatchMessage: Decodable {
  let header: EtcdHeader
  let isCreated: Bool
  let isCancelled: Bool
  let compactRevision: Int64
  let cancelReason: String
  let events: [EtcdEvent]

  private enum Keys: String, CodingKey {
    case header, created, canceled, events
    case compactRevision = "compact_revision"
    case cancelReason = "cancel_reason"
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    header = try fields.decode(EtcdHeader.self, forKey: .header)
    isCreated = try fields.flag(.created)
    isCancelled = try fields.flag(.canceled)
    compactRevision = try fields.number(.compactRevision)
    cancelReason = try fields.decodeIfPresent(String.self, forKey: .cancelReason) ?? ""
    events = try fields.list(.events)
  }
}
