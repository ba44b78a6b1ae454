// Replies to frames: the general encoder for owned replies. The engine writes the two hot ones, `value` and `written`, itself.

extension Reply {
  public func encode(into out: inout OutputBuffer, request: UInt32) {
    switch self {
    case .welcome(let welcome):
      let start = out.beginFrame(.welcome, request: request)
      out.append(welcome.version)
      out.append(welcome.capabilities)
      out.append(welcome.epoch)
      out.append(welcome.revision)
      out.append(welcome.maximumFrameLength)
      out.append(welcome.pid)
      out.append(short: welcome.release)
      out.endFrame(start)
    case .pong(let revision): Reply.encode(.pong, revision, request, into: &out)
    case .watching(let revision): Reply.encode(.watching, revision, request, into: &out)
    case .unwatched: out.endFrame(out.beginFrame(.unwatched, request: request))
    case .value(let state):
      let start = out.beginFrame(.value, request: request)
      out.append(state)
      out.endFrame(start)
    case .written(let result): result.encode(into: &out, request: request)
    case .committed(let revision, let results):
      let start = out.beginFrame(.committed, request: request)
      out.append(revision)
      for result in results { result.encode(into: &out, request: 0) }
      out.endFrame(start)
    case .listed(let stores, let more):
      let start = out.beginFrame(.listed, flags: more ? ReplyFlag.more : 0, request: request)
      out.append(UInt32(stores.count))
      for store in stores { out.append(store) }
      out.endFrame(start)
    case .described(let description):
      let start = out.beginFrame(.described, flags: description.flags, request: request)
      out.append(short: description.name)
      out.append(description.state)
      out.append(description.schema)
      out.append(description.durability.rawValue)
      out.append(description.watchers)
      if let ttl = description.ttl { out.append(ttl) }
      if let owner = description.owner { out.append(owner) }
      out.endFrame(start)
    case .clients(let clients, let more):
      let start = out.beginFrame(.clientList, flags: more ? ReplyFlag.more : 0, request: request)
      out.append(UInt32(clients.count))
      for client in clients { out.append(client) }
      out.endFrame(start)
    case .statistics(let statistics):
      let start = out.beginFrame(.statistics, request: request)
      out.append(UInt16(statistics.count))
      for statistic in statistics {
        out.append(short: statistic.name)
        out.append(statistic.value)
      }
      out.endFrame(start)
    case .reloaded(let release, let notes):
      let start = out.beginFrame(.reloaded, request: request)
      out.append(short: release)
      out.append(UInt16(notes.count))
      for note in notes { out.append(medium: note) }
      out.endFrame(start)
    case .error(let error):
      let start = out.beginFrame(.error, request: request)
      out.append(error.code.rawValue)
      out.append(UInt16(clamping: error.operation))
      out.append(error.revision)
      out.append(short: error.store ?? "")
      out.append(medium: error.message)
      out.endFrame(start)
    }
  }

  private static func encode(
    _ kind: Frame.Kind, _ revision: Revision, _ request: UInt32, into out: inout OutputBuffer
  ) {
    let start = out.beginFrame(kind, request: request)
    out.append(revision)
    out.endFrame(start)
  }
}

extension WriteResult {
  func encode(into out: inout OutputBuffer, request: UInt32) {
    let flags = (changed ? ReplyFlag.changed : 0) | (value != nil ? ReplyFlag.value : 0)
    let start = out.beginFrame(.written, flags: flags, request: request)
    out.append(id.raw)
    out.append(revision)
    out.append(version)
    out.append(durability.rawValue)
    if let value { out.append(value) }
    out.endFrame(start)
  }
}

extension StoreDescription {
  fileprivate var flags: UInt8 {
    (declared ? ReplyFlag.declared : 0) | (ttl != nil ? ReplyFlag.ttl : 0)
      | (owner != nil ? ReplyFlag.owner : 0)
  }
}

extension OutputBuffer {
  mutating func append(_ state: StoreState) {
    append(state.uid)
    append(state.id.raw)
    append(state.revision)
    append(state.version)
    append(state.time)
    append(state.value)
  }

  fileprivate mutating func append(_ store: StoreSummary) {
    append((store.declared ? ReplyFlag.declared : 0) | (store.value != nil ? ReplyFlag.value : 0))
    append(short: store.name)
    append(store.type.rawValue)
    append(store.id.raw)
    append(store.revision)
    append(store.version)
    append(store.time)
    append(store.length)
    if let value = store.value { append(value) }
  }

  fileprivate mutating func append(_ client: ClientSummary) {
    append(client.behind ? ReplyFlag.behind : 0)
    append(client.session)
    append(client.peer.pid)
    append(client.peer.uid)
    append(client.peer.gid)
    append(client.since)
    append(client.watches)
    append(client.requests)
    append(client.unsent)
    append(short: client.name)
  }
}
