// Replies from frames: what a client reads.

extension Reply {
  /// - Throws: `HubError` with `malformed` or `unknownKind`: the hub speaks another protocol.
  public init(decoding frame: FrameView) throws(HubError) {
    var reader = ByteReader(frame.payload)
    guard let kind = frame.kind, kind.isReply else {
      throw HubError(.unknownKind, "kind \(frame.rawKind) is no reply of this version")
    }
    guard let reply = Reply(kind, flags: frame.flags, reading: &reader), !reader.failed else {
      throw HubError(.malformed, "the \(kind) frame ends too early or holds an impossible field")
    }
    self = reply
  }

  private init?(_ kind: Frame.Kind, flags: UInt8, reading reader: inout ByteReader) {
    switch kind {
    case .welcome:
      let version = reader.integer(UInt16.self)
      let capabilities = reader.integer(UInt64.self)
      let epoch = reader.epoch()
      self = .welcome(
        Welcome(
          version: version, capabilities: capabilities, epoch: epoch, revision: reader.integer(),
          maximumFrameLength: reader.integer(), pid: reader.integer(), release: reader.shortBytes().text))
    case .pong: self = .pong(revision: reader.integer())
    case .watching: self = .watching(revision: reader.integer())
    case .unwatched: self = .unwatched
    case .value:
      guard let state = StoreState(reading: &reader) else { return nil }
      self = .value(state)
    case .written:
      guard let result = WriteResult(flags: flags, reading: &reader) else { return nil }
      self = .written(result)
    case .committed:
      let revision = reader.integer(Revision.self)
      var results: [WriteResult] = []
      let frames = FrameReader(maximumLength: .max)
      var rest = reader.rest()
      while !rest.isEmpty {
        guard case .frame(let frame) = frames.scan(rest), frame.kind == .written else { return nil }
        var inner = ByteReader(frame.payload)
        guard let result = WriteResult(flags: frame.flags, reading: &inner) else { return nil }
        results.append(result)
        rest = rest.suffix(from: frame.bytes.count)
      }
      self = .committed(revision: revision, results)
    case .listed:
      var stores: [StoreSummary] = []
      for _ in 0..<Int(reader.integer(UInt32.self)) {
        guard let store = StoreSummary(reading: &reader) else { return nil }
        stores.append(store)
      }
      self = .listed(stores, more: flags & ReplyFlag.more != 0)
    case .described:
      guard let description = StoreDescription(flags: flags, reading: &reader) else { return nil }
      self = .described(description)
    case .clientList:
      var clients: [ClientSummary] = []
      for _ in 0..<Int(reader.integer(UInt32.self)) {
        clients.append(ClientSummary(reading: &reader))
        // The count may be anything: a loop of four billion rounds would hang the client.
        if reader.failed { return nil }
      }
      self = .clients(clients, more: flags & ReplyFlag.more != 0)
    case .statistics:
      var statistics: [Statistic] = []
      for _ in 0..<Int(reader.integer(UInt16.self)) {
        let name = reader.shortBytes().text
        statistics.append(Statistic(name: name, value: reader.integer()))
        if reader.failed { return nil }
      }
      self = .statistics(statistics)
    case .reloaded:
      let release = reader.shortBytes().text
      var notes: [String] = []
      for _ in 0..<Int(reader.integer(UInt16.self)) {
        notes.append(reader.mediumBytes().text)
        if reader.failed { return nil }
      }
      self = .reloaded(release: release, notes: notes)
    case .error:
      // A code of a later version is not this client's fault: it still gets the message.
      let code = HubError.Code(rawValue: reader.integer()) ?? .notSupported
      let operation = Int(reader.integer(UInt16.self))
      let revision = reader.integer(Revision.self)
      let store = reader.shortBytes()
      self = .error(
        HubError(
          code, store: store.isEmpty ? nil : store.text, reader.mediumBytes().text, revision: revision,
          operation: operation))
    default: return nil
    }
  }
}

extension StoreState {
  init?(reading reader: inout ByteReader) {
    let uid = reader.integer(UInt32.self)
    let id = StoreID(raw: reader.integer())
    let revision = reader.integer(Revision.self)
    let version = reader.integer(UInt64.self)
    let time = reader.integer(Int64.self)
    guard let value = ValueView(reading: &reader) else { return nil }
    self.init(id: id, revision: revision, version: version, time: time, uid: uid, value: value.value)
  }
}

extension WriteResult {
  fileprivate init?(flags: UInt8, reading reader: inout ByteReader) {
    let id = StoreID(raw: reader.integer())
    let revision = reader.integer(Revision.self)
    let version = reader.integer(UInt64.self)
    guard let durability = Durability(rawValue: reader.integer()) else { return nil }
    var value: Value?
    if flags & ReplyFlag.value != 0 {
      guard let view = ValueView(reading: &reader) else { return nil }
      value = view.value
    }
    self.init(
      id: id, revision: revision, version: version, changed: flags & ReplyFlag.changed != 0,
      durability: durability,
      value: value)
  }
}

extension StoreSummary {
  fileprivate init?(reading reader: inout ByteReader) {
    let flags = reader.integer(UInt8.self)
    let name = reader.shortBytes().text
    guard let type = ValueType(rawValue: reader.integer()) else { return nil }
    let id = StoreID(raw: reader.integer())
    let revision = reader.integer(Revision.self)
    let version = reader.integer(UInt64.self)
    let time = reader.integer(Int64.self)
    let length = reader.integer(UInt32.self)
    var value: Value?
    if flags & ReplyFlag.value != 0 {
      guard let view = ValueView(reading: &reader) else { return nil }
      value = view.value
    }
    self.init(
      name: name, id: id, type: type, declared: flags & ReplyFlag.declared != 0, revision: revision,
      version: version, time: time, length: length, value: value)
  }
}

extension StoreDescription {
  fileprivate init?(flags: UInt8, reading reader: inout ByteReader) {
    let name = reader.shortBytes().text
    guard let state = StoreState(reading: &reader), let schema = reader.schema(),
      let durability = Durability(rawValue: reader.integer())
    else { return nil }
    let watchers = reader.integer(UInt32.self)
    let ttl = flags & ReplyFlag.ttl != 0 ? reader.integer(UInt64.self) : nil
    let owner = flags & ReplyFlag.owner != 0 ? reader.integer(Int32.self) : nil
    self.init(
      name: name, state: state, schema: schema, durability: durability,
      declared: flags & ReplyFlag.declared != 0, watchers: watchers, ttl: ttl, owner: owner)
  }
}

extension ClientSummary {
  fileprivate init(reading reader: inout ByteReader) {
    let flags = reader.integer(UInt8.self)
    let session = reader.integer(Int32.self)
    let pid = reader.integer(UInt32.self)
    let uid = reader.integer(UInt32.self)
    let peer = Peer(pid: pid, uid: uid, gid: reader.integer())
    let since = reader.integer(Int64.self)
    let watches = reader.integer(UInt32.self)
    let requests = reader.integer(UInt64.self)
    let unsent = reader.integer(UInt32.self)
    self.init(
      session: session, peer: peer, name: reader.shortBytes().text, since: since, watches: watches,
      requests: requests, unsent: unsent, behind: flags & ReplyFlag.behind != 0)
  }
}
