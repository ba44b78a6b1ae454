// The writes: conditions, types, rules and lifetimes. `Announcing` passes changes on to watchers.

import HubCore

/// The effect of a write.
struct WriteOutcome {
  var slot: Int
  var id: StoreID
  var revision: Revision
  var version: UInt64
  var changed: Bool
  var durability: Durability
  /// The reply includes the value, which the writer did not know.
  var showsValue = false

  /// The reply promises that the value is on the disk.
  @inline(__always) var isSynced: Bool { durability == .synced }
}

extension HubEngine {
  /// Executes one write and appends its reply.
  ///
  /// - Returns: what the reply waits for.
  @inline(__always)
  mutating func write(
    _ frame: FrameView, _ kind: WriteKind, by session: SessionID, now: Instant, request: UInt32,
    into replies: inout OutputBuffer
  ) throws(HubError) -> Receipt {
    let outcome = try perform(kind, frame, by: session, now: now)
    append(outcome, request: request, to: &replies)
    return outcome.isSynced ? .awaitsDisk : []
  }

  /// Executes one write.
  @inline(__always)
  mutating func perform(
    _ kind: WriteKind, _ frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    switch kind {
    case .set: try set(frame, by: session, now: now)
    case .add: try add(frame, by: session, now: now)
    case .toggle: try toggle(frame, by: session, now: now)
    case .reset: try reset(frame, by: session, now: now)
    case .remove: try remove(frame, by: session, now: now)
    case .create: try create(frame, by: session, now: now)
    }
  }

  @inline(__always)
  mutating func outcome(_ slot: Int, changed: Bool, showsValue: Bool = false) -> WriteOutcome {
    WriteOutcome(
      slot: slot, id: stores[slot].id, revision: stores[slot].revision, version: stores[slot].version,
      changed: changed, durability: stores[slot].durability, showsValue: showsValue)
  }

  /// The store was written with the value that it has.
  @inline(__always)
  private mutating func unchanged(_ slot: Int, showsValue: Bool = false) -> WriteOutcome {
    if attention.hasFilters { feed.noteEqual(slot, stores[slot].id) }
    return outcome(slot, changed: false, showsValue: showsValue)
  }

  func label(_ slot: Int) -> String { stores.name(of: slot).text }

  // MARK: set

  @inline(__always)
  private mutating func set(
    _ frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    guard let command = SetCommand(frame) else { throw HubError.malformed(frame) }
    if command.flags & SetCommand.Flag.ttl != 0, command.ttl == 0 {
      throw HubError(
        .invalidValue, store: command.store.label, "a time to live must be at least one millisecond")
    }
    let audience = feed.sessions.audience(of: session)
    // A condition would reveal the store's value.
    let right: AccessRights = command.flags & ConditionFlag.any == 0 ? .write : [.read, .write]
    let found = try stores.find(command.store, for: audience, to: right)
    if command.flags & ConditionFlag.any != 0 { try stores.check(command, at: found, in: history.epoch) }
    guard let slot = found else { return try setNew(command, by: session, now: now) }
    guard command.value.type == stores[slot].type else {
      return try setConverted(slot, command, by: session, now: now)
    }
    return try set(slot, command.value, command, by: session, now: now)
  }

  /// The value has another type than the store. A double store takes an integer that a double represents exactly.
  @inline(never)
  private mutating func setConverted(
    _ slot: Int, _ command: SetCommand, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    let (own, other) = (stores[slot].type, command.value.type)
    guard own == .double, other == .integer else {
      throw HubError(
        .typeMismatch, store: label(slot), "the store's type is \(own), the value is \(other.withArticle)")
    }
    guard let double = Double(exactly: command.value.integer) else {
      throw HubError(
        .typeMismatch, store: label(slot), "the integer has no exact representation as a double")
    }
    return try Value.double(double).bytes.withByteViewThrowing { (bytes) throws(HubError) in
      try set(slot, ValueView(type: .double, bytes: bytes), command, by: session, now: now)
    }
  }

  /// - Parameter value: the command's, in the store's type.
  @inline(__always)
  private mutating func set(
    _ slot: Int, _ value: ValueView, _ command: SetCommand, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    if let problem = problem(with: value, in: slot) { throw problem.about(label(slot)) }
    let isEqual =
      command.flags & SetCommand.Flag.force == 0 && stores.value(of: slot).bytes.equals(value.bytes)
    if !isEqual { try makeRoom(for: value.bytes.count, slot, by: session) }
    let ends = command.flags & (SetCommand.Flag.ttl | SetCommand.Flag.ephemeral) != 0
    if isEqual, !ends, !stores[slot].ends { return unchanged(slot) }
    try willChange(slot, value.bytes.count)
    if !isEqual { stores.setValue(value.bytes, of: slot) }
    setLifetime(of: slot, command, session, now)
    if !isEqual {
      announceChange(of: slot, by: session, now: now)
    } else {
      ledger.tellLifetime(of: slot, &stores, now: now)
      return unchanged(slot)
    }
    return outcome(slot, changed: true)
  }

  private mutating func setNew(
    _ command: SetCommand, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    guard !command.store.name.isEmpty else { throw HubEngine.missing(command.store) }
    try HubEngine.checkNew(command.store.name)
    if options.requiresDeclaration {
      throw HubError(
        .undeclared, store: command.store.label,
        "this hub requires declarations: declare or create the store before setting it")
    }
    if let problem = command.value.contentProblem { throw problem.about(command.store.label) }
    try stores.checkCreation(of: command.store.name, for: feed.sessions.audience(of: session))
    var schema = Schema(type: command.value.type)
    schema.initial = nil
    // Provided stores reappear with their provider.
    if attention.hasClaims, claims.place(of: command.store.name, &work) != nil {
      schema.durability = .volatile
    }
    // Values that end with their connection need not be kept: locks and presence work without a disk.
    if command.flags & SetCommand.Flag.ephemeral != 0, !ledger.takesWrites { schema.durability = .volatile }
    try willCreate(command.store.name, schema, command.value.bytes.count)
    let slot = try insert(command.store.name, schema, command.value.bytes, by: session)
    setLifetime(of: slot, command, session, now)
    announceCreation(of: slot, by: session, now: now)
    return outcome(slot, changed: true)
  }

  // MARK: add, toggle, reset

  private mutating func add(
    _ frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    guard let command = AddCommand(frame) else { throw HubError.malformed(frame) }
    let slot = try slot(of: command.store, by: session, to: [.read, .write])
    let record = stores[slot]
    let sum: Value
    do throws(HubError) {
      sum = try Arithmetic.add(
        command.delta.value, to: stores.value(of: slot).value,
        schema: record.hasRules ? stores.schema(of: slot) : nil, clamp: command.clamp)
    } catch {
      throw error.about(label(slot))
    }
    return try replace(slot, sum.bytes, by: session, now: now)
  }

  private mutating func toggle(
    _ frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    guard let command = ToggleCommand(frame) else { throw HubError.malformed(frame) }
    let slot = try slot(of: command.store, by: session, to: [.read, .write])
    guard stores[slot].type == .boolean else {
      throw HubError(
        .typeMismatch, store: label(slot),
        "only a boolean can be toggled; this is \(stores[slot].type.withArticle)")
    }
    return try replace(slot, [stores.value(of: slot).boolean ? 0 : 1], by: session, now: now)
  }

  private mutating func reset(
    _ frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    guard let command = ResetCommand(frame) else { throw HubError.malformed(frame) }
    let slot = try slot(of: command.store, by: session, to: [.read, .write])
    guard let initial = stores.schema(of: slot).initial else {
      throw HubError(
        .noInitialValue, store: label(slot),
        "the store was neither declared nor created, so it has no initial value: remove it instead")
    }
    return try replace(slot, initial.bytes, by: session, now: now, keepsLifetime: false)
  }

  /// Gives a store a value that the hub computed, or its provider.
  mutating func replace(
    _ slot: Int, _ bytes: [UInt8], by session: SessionID, now: Instant, keepsLifetime: Bool = true
  ) throws(HubError) -> WriteOutcome {
    let endsLifetime = !keepsLifetime && stores[slot].ends
    let type = stores[slot].type
    if let problem = bytes.withByteView({ problem(with: ValueView(type: type, bytes: $0), in: slot) }) {
      throw problem.about(label(slot))
    }
    if bytes.withByteView({ stores.value(of: slot).bytes.equals($0) }) {
      if endsLifetime {
        try willChange(slot, bytes.count)
        stores.clearLifetime(of: slot)
        ledger.tellLifetime(of: slot, &stores, now: now)
      }
      return unchanged(slot, showsValue: true)
    }
    try makeRoom(for: bytes.count, slot, by: session)
    try willChange(slot, bytes.count)
    if endsLifetime { stores.clearLifetime(of: slot) }
    bytes.withByteView { stores.setValue($0, of: slot) }
    announceChange(of: slot, by: session, now: now)
    return outcome(slot, changed: true, showsValue: true)
  }

  // MARK: remove

  private mutating func remove(
    _ frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    guard let command = RemoveCommand(frame) else { throw HubError.malformed(frame) }
    let slot = try slot(of: command.store, by: session, to: [.read, .remove])
    let record = stores[slot]
    if command.flags & ConditionFlag.revision != 0 {
      let epoch = command.flags & ConditionFlag.epoch != 0 ? command.epoch : nil
      try stores.check(command.revision, of: epoch, at: slot, in: history.epoch)
    }
    if record.isDeclared {
      throw HubError(
        .declared, store: label(slot), "the store is declared in the hub's configuration: remove it there")
    }
    try willWrite(slot, 0, isKept: record.isStored)
    var outcome = outcome(slot, changed: true)
    outcome.version += 1
    outcome.revision = removeStore(slot, by: session, now: now)
    return outcome
  }

  // MARK: Common to all writes

  /// A session is about to change a store.
  ///
  /// - Parameters:
  ///   - length: of its new value and schema, as far as the journal lacks them.
  ///   - isKept: the journal must hold the change.
  @inline(__always)
  mutating func willWrite(_ slot: Int, _ length: Int, isKept: Bool) throws(HubError) {
    if !ledger.takes(length, isKept: isKept) { try refuse(stores.name(of: slot), length, isKept: isKept) }
  }

  /// A session is about to create a store with this schema, and a value of this length.
  mutating func willCreate(_ name: ByteView, _ schema: Schema, _ length: Int) throws(HubError) {
    let (length, isKept) = (length + schema.encodedLength, stores.durability(with: schema) != .volatile)
    if !ledger.takes(length, isKept: isKept) { try refuse(name, length, isKept: isKept) }
  }

  @inline(never)
  private mutating func refuse(_ name: ByteView, _ length: Int, isKept: Bool) throws(HubError) {
    try ledger.refuse(name, length, isKept: isKept, history.revision, stores.lastSerial)
  }

  /// A session is about to change a store's value or lifetime.
  ///
  /// - Parameter length: of its new value.
  @inline(__always)
  private mutating func willChange(_ slot: Int, _ length: Int) throws(HubError) {
    let isKept = stores[slot].durability != .volatile
    // A store that is not in the journal yet is written with its schema.
    let schema = isKept && !stores[slot].isStored ? stores.schema(of: slot).encodedLength : 0
    try willWrite(slot, length &+ schema, isKept: isKept)
    ledger.undo.willChange(slot, in: &stores)
  }

  @inline(__always)
  private func problem(with value: ValueView, in slot: Int) -> HubError? {
    stores[slot].hasRules ? stores.ruleProblem(of: slot, with: value) : value.contentProblem
  }

  static func checkNew(_ name: ByteView) throws(HubError) {
    if let problem = StoreName.problem(in: name) { throw HubError(.invalidName, store: name.text, problem) }
    if StoreName(checked: name).isReserved {
      throw HubError(.reserved, store: name.text, "names under statehub. are reserved for the hub")
    }
  }

  @inline(__always)
  private mutating func makeRoom(for length: Int, _ slot: Int, by session: SessionID) throws(HubError) {
    if length > stores.value(of: slot).bytes.count || ledger.undo.isTransaction {
      try checkMemory(forValue: length, slot, by: session)
    }
  }

  /// Creates a store with a checked value.
  ///
  /// - Parameters:
  ///   - session: nil: the hub itself.
  ///   - creator: nil: the session's user.
  mutating func insert(
    _ name: ByteView, _ schema: Schema, _ value: ByteView, by session: SessionID?, creator: UInt32? = nil
  ) throws(HubError) -> Int {
    try checkMemory(forNew: name, schema, value.count, by: session)
    if session != nil {
      let cost = try feed.costOfCreating(name)
      work &+= cost
      try ledger.undo.spendCreating(name, cost)
    }
    let creator = creator ?? session.map { feed.sessions.peer(of: $0).uid } ?? StoreRecord.byHub
    guard let slot = stores.insert(name, schema: schema, by: creator) else {
      throw HubError(
        .quota, store: name.text,
        stores.hasNumbers
          ? "the hub's table of stores is full"
          : "2^40 store numbers are used up: start with an empty state directory")
    }
    stores.setValue(value, of: slot)
    ledger.undo.didCreate(slot, in: &stores)
    return slot
  }
}
