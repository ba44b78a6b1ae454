// Creating stores and changing their rules: at run time by `create`, and by the configuration with `declare`.

package import HubCore

extension HubEngine {
  mutating func create(
    _ frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    guard let command = CreateCommand(frame) else { throw HubError.malformed(frame) }
    try HubEngine.checkNew(command.name)
    work &+= Cost.choice &* command.schema.choices.count
    let schema = try command.schema.validated(store: command.name.text)
    let audience = feed.sessions.audience(of: session)
    guard let slot = try stores.find(StoreKey(command.name), for: audience, to: .read) else {
      try stores.checkCreation(of: command.name, for: audience)
      return try createStore(command.name, schema, by: session, now: now)
    }
    if command.ifAbsent {
      throw HubError(
        .conflict, store: label(slot), "the store exists", revision: stores[slot].revision)
    }
    if stores.schema(of: slot) == schema { return outcome(slot, changed: false) }
    if stores[slot].isDeclared {
      throw HubError(
        .declared, store: label(slot), "the store is declared in the hub's configuration: change it there")
    }
    _ = try stores.find(StoreKey(command.name), for: audience, to: [.read, .define])
    return try redefine(slot, schema, by: session, now: now)
  }

  private mutating func createStore(
    _ name: ByteView, _ schema: Schema, by session: SessionID?, now: Instant
  ) throws(HubError) -> WriteOutcome {
    let initial = schema.initial?.bytes ?? []
    if session != nil { try willCreate(name, schema, initial.count) }
    let slot = try initial.withByteViewThrowing { (bytes) throws(HubError) in
      try insert(name, schema, bytes, by: session)
    }
    announceCreation(of: slot, by: session, now: now)
    return outcome(slot, changed: true)
  }

  /// Gives a store another schema, which its value must fit. It is an ordinary change of the store, announced with
  /// everything there is to know, as the store's creation was.
  private mutating func redefine(
    _ slot: Int, _ schema: Schema, by session: SessionID?, now: Instant
  ) throws(HubError) -> WriteOutcome {
    let value = stores.value(of: slot).value
    guard let fit = value.converted(to: schema.type) else {
      throw HubError(
        .schemaConflict, store: label(slot),
        "the store holds \(value.type.withArticle), which \(schema.type.withArticle) store cannot keep: remove it first"
      )
    }
    if let problem = schema.problem(with: fit) {
      throw HubError(
        .schemaConflict, store: label(slot),
        "the store's value breaks the new schema: \(problem.message). Set it first")
    }
    if let session { try checkMemory(for: schema, slot, by: session) }
    try willWrite(
      slot, fit.bytes.count + schema.encodedLength,
      isKept: stores.durability(with: schema) != .volatile || stores[slot].isStored)
    ledger.undo.willChange(slot, in: &stores, schema: true)
    stores.setSchema(schema, of: slot)
    convert(slot, to: fit)
    announceCreation(of: slot, by: session, now: now)
    return outcome(slot, changed: true)
  }

  private mutating func convert(_ slot: Int, to value: Value) {
    guard stores[slot].type != value.type else { return }
    stores[slot].type = value.type
    value.bytes.withByteView { stores.setValue($0, of: slot) }
  }

  // MARK: Configuration

  /// What a declaration did to an existing store.
  package enum DeclarationNote: Hashable, Sendable, CustomStringConvertible {
    /// The value breaks the declared rules. It stays; later writes must fit.
    case kept(StoreName, HubError)
    /// The store can no longer hold its value's type, so it was reset to the initial value.
    case replaced(StoreName, was: Value)

    package var description: String {
      switch self {
      case .kept(let name, let error):
        "\(name): its value is kept, although the configuration no longer allows it: \(error.message)"
      case .replaced(let name, let value):
        "\(name): its value \(value) was \(value.type.withArticle), which it can no longer hold; it starts with its initial value"
      }
    }
  }

  /// Puts the configuration's declarations into force: creates those stores or gives them the declared schema. Stores that
  /// were declared before and no longer are become stores of run time.
  ///
  /// - Returns: human-readable notes about values that do not fit.
  /// - Throws: `HubError` about the first invalid declaration; then nothing has changed.
  package mutating func declare(
    _ declarations: [(StoreName, Schema)], now: Instant
  ) throws(HubError) -> [DeclarationNote] {
    let valid = try validated(declarations, within: options)
    var notes: [DeclarationNote] = []
    var declared: Set<Int> = []
    for (name, schema) in valid {
      let bytes = Array(name.text.utf8)
      let slot: Int
      if let found = bytes.withByteView({ stores.find($0) }) {
        slot = found
        if stores.schema(of: slot) != schema {
          notes += try apply(slot, name, schema, now: now)
        }
      } else {
        slot = try bytes.withByteViewThrowing { (bytes) throws(HubError) in
          try createStore(bytes, schema, by: nil, now: now).slot
        }
      }
      stores[slot].isDeclared = true
      declared.insert(slot)
    }
    // Only now, because a store that is still declared was declared throughout.
    for slot in 0..<stores.used where stores[slot].isDeclared && !declared.contains(slot) {
      stores[slot].isDeclared = false
    }
    return notes
  }

  /// Returns the declarations as `declare` would accept them.
  ///
  /// - Parameter options: of the hub that will declare them.
  /// - Throws: `HubError` about the first one that it would refuse.
  package func validated(
    _ declarations: [(StoreName, Schema)], within options: Options
  ) throws(HubError) -> [(StoreName, Schema)] {
    try stores.validated(declarations, within: options)
  }

  private mutating func apply(
    _ slot: Int, _ name: StoreName, _ schema: Schema, now: Instant
  ) throws(HubError) -> [DeclarationNote] {
    let value = stores.value(of: slot).value
    stores.setSchema(schema, of: slot)
    defer { announceCreation(of: slot, by: nil, now: now) }
    guard let fit = value.converted(to: schema.type) else {
      convert(slot, to: schema.initial ?? .zero(of: schema.type))
      return [.replaced(name, was: value)]
    }
    convert(slot, to: fit)
    return schema.problem(with: fit).map { [.kept(name, $0)] } ?? []
  }
}

extension Array where Element == UInt8 {
  /// `withByteView` for bodies that throw `HubError` only.
  func withByteViewThrowing<R>(_ body: (ByteView) throws(HubError) -> R) throws(HubError) -> R {
    let result: Result<R, HubError> = withByteView { view in
      do throws(HubError) { return .success(try body(view)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension Stores {
  fileprivate func validated(
    _ declarations: [(StoreName, Schema)], within options: HubEngine.Options
  ) throws(HubError) -> [(StoreName, Schema)] {
    var valid: [(StoreName, Schema)] = []
    var (count, bytes) = (self.count, accounts.bytes)
    for (name, schema) in declarations {
      let text = Array(name.text.utf8)
      try text.withByteViewThrowing { (bytes) throws(HubError) in try HubEngine.checkNew(bytes) }
      let schema = try schema.validated(store: name.text)
      if find(name.text) == nil {
        count += 1
        bytes += MemoryCost.store(text.count, schema)
        bytes += ValueCell.memory(ofLength: schema.initial?.bytes.count ?? 0)
        if count > options.maximumStores || bytes > options.maximumMemory {
          throw HubError(
            .quota, store: name.text,
            "with it the hub would hold \(count) stores and keep \(bytes) bytes; its limits are "
              + "\(options.maximumStores) (maxStores) and \(options.maximumMemory) (maxMemoryBytes)")
        }
      }
      valid.append((name, schema))
    }
    return valid
  }
}
