// A request's frame back as an owned value: for tests, tools and the documentation's dumps; the hub reads `Command`s.

extension Request {
  /// - Throws: `HubError` with `unknownKind` or `malformed`, or what is wrong with a name, pattern or value in it.
  public init(decoding frame: FrameView) throws(HubError) {
    guard let kind = frame.kind else {
      throw HubError(.unknownKind, "kind \(frame.rawKind) is none of this version's")
    }
    let malformed = HubError(.malformed, "the \(kind) frame ends too early or holds an impossible field")
    func required<T>(_ command: T?) throws(HubError) -> T {
      guard let command else { throw malformed }
      return command
    }
    switch kind {
    case .hello:
      let command = try required(HelloCommand(frame))
      guard command.magic == Frame.magic else { throw malformed }
      self = .hello(
        minimumVersion: command.minimumVersion, maximumVersion: command.maximumVersion,
        capabilities: command.capabilities, name: command.name)
    case .ping: self = .ping
    case .get: self = .get(try StoreReference(try required(StoreCommand(frame)).store))
    case .describe: self = .describe(try StoreReference(try required(StoreCommand(frame)).store))
    case .set, .add, .toggle, .reset, .remove, .create: self = .write(try WriteOperation(decoding: frame))
    case .transaction:
      var operations: [WriteOperation] = []
      var rest = frame.payload
      let reader = FrameReader(maximumLength: .max)
      while !rest.isEmpty {
        guard case .frame(let next) = reader.scan(rest) else { throw malformed }
        operations.append(try WriteOperation(decoding: next))
        rest = rest.suffix(from: next.bytes.count)
      }
      self = .transaction(operations)
    case .list:
      let command = try required(ListCommand(frame))
      self = .list(try NamePattern(command.pattern), after: command.after.text, limit: command.limit)
    case .watch:
      let command = try required(WatchCommand(frame))
      var patterns: [NamePattern] = []
      for text in command.patterns { patterns.append(try NamePattern(text)) }
      self = .watch(
        patterns, policy: command.policy, bookmark: command.bookmark, schemas: command.schemas)
    case .unwatch:
      var reader = ByteReader(frame.payload)
      self = .unwatch(reader.integer())
      if reader.failed { throw malformed }
    case .clients:
      let command = try required(ClientsCommand(frame))
      self = .clients(after: command.after, limit: command.limit)
    case .stats: self = .stats
    case .reload: self = .reload
    default: throw HubError(.unknownKind, "a frame of kind \(kind) is no request")
    }
  }
}

extension WriteOperation {
  public init(decoding frame: FrameView) throws(HubError) {
    let malformed = HubError(.malformed, "the frame ends too early or holds an impossible field")
    switch frame.kind {
    case .set:
      guard let command = SetCommand(frame) else { throw malformed }
      self = .set(
        try StoreReference(command.store), try command.value.checked(), condition: try command.condition(),
        lifetime: Lifetime(
          ttl: command.flags & RequestFlag.ttl != 0 ? command.ttl : nil,
          ephemeral: command.flags & RequestFlag.ephemeral != 0),
        force: command.flags & RequestFlag.force != 0)
    case .add:
      guard let command = AddCommand(frame) else { throw malformed }
      self = .add(try StoreReference(command.store), try command.delta.checked(), clamp: command.clamp)
    case .toggle, .reset:
      guard let command = StoreCommand(frame) else { throw malformed }
      let store = try StoreReference(command.store)
      self = frame.kind == .toggle ? .toggle(store) : .reset(store)
    case .remove:
      guard let command = RemoveCommand(frame) else { throw malformed }
      var condition = WriteCondition()
      if command.flags & RequestFlag.ifRevision != 0 { condition.revision = command.revision }
      if command.flags & RequestFlag.ifEpoch != 0 { condition.epoch = command.epoch }
      self = .remove(try StoreReference(command.store), condition: condition)
    case .create:
      guard let command = CreateCommand(frame) else { throw malformed }
      self = .create(try StoreName(command.name.text), command.schema, ifAbsent: command.ifAbsent)
    default: throw HubError(.unknownKind, "kind \(frame.rawKind) is no write")
    }
  }
}

extension SetCommand {
  fileprivate func condition() throws(HubError) -> WriteCondition {
    WriteCondition(
      revision: flags & RequestFlag.ifRevision != 0 ? revision : nil,
      epoch: flags & RequestFlag.ifEpoch != 0 ? epoch : nil,
      value: try expected?.checked(), absent: flags & RequestFlag.ifAbsent != 0)
  }
}

extension ValueView {
  /// An owned copy; text that is none is refused, not repaired.
  fileprivate func checked() throws(HubError) -> Value {
    if let problem = contentProblem { throw problem }
    return value
  }
}

extension StoreReference {
  init(_ key: StoreKey) throws(HubError) {
    self = key.name.isEmpty ? .id(key.id) : .name(try StoreName(key.name.text))
  }
}
