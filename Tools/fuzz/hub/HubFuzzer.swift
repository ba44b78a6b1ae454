// Owns what libFuzzer checks of a whole hub: several users with different rights, mutated requests, full connections, other
// rules, images, restarts; the model says what each request does, each view what its client may know.

@testable import HubCore
@testable import HubEngine

@c(LLVMFuzzerTestOneInput)
public func fuzzHub(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var history = FuzzedHistory(Input(UnsafeBufferPointer(start: start, count: count)))
  history.run()
  return 0
}

struct FuzzedHistory: ~Copyable {
  private var input: Input
  private var hub: EngineHarness
  private let world: World
  private let journals: Bool
  private var persons: [Int32: Person] = [:]
  /// Those who lost their connection, and what they knew.
  private var gone: [(person: Person, view: ClientView)] = []

  init(_ given: Input) {
    var input = given
    let world = World(input.pick(World.choices))
    let (log, removals) = (input.pick([1 << 16, 64, 256, 400, 4096]), input.pick([4096, 2, 3]))
    let (stepWork, stores) = (input.pick([200, 1, 40, 2000]), input.pick([100, 3, 6]))
    let watches = input.pick([100, 2])
    journals = input.chance()
    hub = EngineHarness(logBytes: log, removals: removals, journals: journals, stepWork: stepWork) {
      options in
      options.access = world.rules
      options.maximumStores = stores
      options.maximumWatches = watches
      (options.uid, options.gid) = (World.user, World.group)
    }
    self.world = world
    self.input = input
  }

  mutating func run() {
    _ = connect(Person.all[0])
    while !input.isAtEnd, hub.problems.isEmpty { step() }
    // Somebody who may do everything reads what there is.
    let root = root ?? connect(Person.all[0])
    hub.settle(asking: root)
    precondition(hub.problems.isEmpty, hub.problems.prefix(5).joined(separator: "\n"))
  }

  private mutating func step() {
    forgetCreators()
    let raw = hub.clients.keys.sorted()[input.below(hub.clients.count)]
    switch input.below(24) {
    case 0...6: write(input.operation(), raw)
    case 7: transact()
    case 8, 9: hub.turn()
    case 10, 11: watch(raw)
    case 12:
      if let request = hub.clients[raw]!.view.watches.keys.min() { interrupted(.unwatch(request), raw) }
    case 13: if persons[raw]!.uid != 0 { hub.open(raw, room: input.below(200) * 2) }
    case 14: hub.open(raw, room: .max)
    case 15: if hub.clients.count < 7 { _ = connect(input.pick(Person.all)) }
    case 16: if hub.clients.count > 1 { disconnect(raw) }
    case 17: if let last = gone.popLast() { reconnect(last.person, last.view) }
    case 18: hub.advance(by: UInt64(input.byte()) * 20_000)
    case 19: hub.handOver(logBytes: input.chance() ? 64 + Int(input.byte()) * 20 : nil)
    case 20: if journals { restart() }
    case 21: change(input.pick(World.choices))
    case 22: read(input.reading(), raw)
    default: mutate(raw)
    }
    States.note(hub.engine)
  }

  private var root: Int32? { persons.filter { $0.value.uid == 0 && $0.value.socket == nil }.keys.min() }

  // MARK: Connections

  private mutating func connect(_ person: Person, _ view: ClientView = ClientView()) -> Int32 {
    var view = view
    let world = world
    view.mayRead = { world.rights(of: person, on: $0).contains(.read) }
    let raw = hub.connect(view, as: person.peer, groups: person.groups, at: person.socket)
    persons[raw] = person
    return raw
  }

  private mutating func disconnect(_ raw: Int32) {
    gone.append((persons[raw]!, hub.disconnect(raw)))
    persons[raw] = nil
    forgetCreators()
  }

  private mutating func reconnect(_ person: Person, _ old: ClientView) {
    var view = old
    view.watches = [:]
    if !old.isSynced { view.known = [:] }
    view.isSynced = false
    view.isResuming = true
    let raw = connect(person, view)
    let bookmark = Bookmark(epoch: old.epoch ?? hub.engine.epoch, revision: old.bookmark)
    for watch in old.watches.values {
      hub.request(
        .watch(
          watch.patterns, policy: watch.policy, bookmark: old.isSynced ? bookmark : nil,
          schemas: old.wantsSchemas, filter: old.filter),
        raw)
    }
  }

  private mutating func restart() {
    if input.chance() { hub.compact() }
    let before = hub.clients.keys.sorted().map { persons[$0]! }
    let end = input.pick(HubEnd.allCases)
    let downtime = UInt64(input.byte()) * 20_000
    let rules = input.chance(4) ? input.pick(World.choices) : world.rules
    // What the old rules let through arrives while they hold.
    let views = hub.restart(end, downtime: downtime, access: rules)
    world.rules = rules
    gone += zip(before, views).map { (person: $0, view: $1) }
    persons = [:]
    forgetCreators()
    _ = connect(Person.all[0])
  }

  private mutating func change(_ rules: AccessRules) {
    // What the old rules let through arrives while they hold.
    let world = world
    hub.setAccess(rules)
    world.rules = rules
    States.note(hub.engine)
    hub.turn()
  }

  // MARK: Requests

  /// A request that may take several steps.
  @discardableResult
  private mutating func interrupted(_ request: Request, _ raw: Int32) -> Reply? {
    if input.chance() { interrupt() }
    defer {
      hub.meanwhile = nil
      forgetCreators()
    }
    return hub.request(request, raw)
  }

  private mutating func watch(_ raw: Int32) {
    guard case .watch(let patterns, let policy, _, _, _) = input.watch() else { return }
    if !hub.clients[raw]!.view.asksToWatch {
      hub.clients[raw]!.view.wantsSchemas = input.chance(3)
      hub.clients[raw]!.view.filter = FuzzedHistory.filters[Int(raw) % FuzzedHistory.filters.count]
    }
    let view = hub.clients[raw]!.view
    guard let filter = view.filter else {
      interrupted(.watch(patterns, policy: policy, schemas: view.wantsSchemas), raw)
      return
    }
    hub.clients[raw]!.view.wantsSchemas = false
    interrupted(.watch(patterns, filter: filter), raw)
  }

  private static let filters: [WatchFilter?] = [
    nil, nil, try! WatchFilter(when: WatchCondition(.greater, [.integer(2)])), try! WatchFilter(by: 3),
  ]

  /// Others write while a request takes its many steps.
  private mutating func interrupt() {
    var operations = (0...input.below(3)).map { _ in input.operation(isAnybody: false) }
    let notes = input.chance(3)
    let root = root
    let world = world
    hub.meanwhile = { asking, hub in
      States.note(hub.engine)
      guard let root, root != asking, let operation = operations.popLast() else { return }
      hub.write(operation, root)
      world.created(operation, by: 0, hub.model)
      if notes { hub.note() }
      States.note(hub.engine)
    }
  }

  private mutating func write(_ operation: WriteOperation, _ raw: Int32) {
    let person = persons[raw]!
    // What ends is removed by a turn: the model and the hub agree on what there is.
    let name = operation.store.label
    let store = hub.model.stores[name]
    let rights = world.rights(of: person, on: name)
    if rights.isSuperset(of: World.needs(operation, of: store)) {
      hub.write(operation, raw)
      return world.created(operation, by: person.identity.uid, hub.model)
    }
    // No connection is too full for a refusal, so that there is a reply.
    hub.open(raw, room: .max)
    hub.advance(by: 1)
    switch hub.request(.write(operation), raw) {
    case .error(let error)?:
      let isConcealed = store != nil && !rights.contains(.read)
      if isConcealed, ![.denied, .noSuchStore, .conflict, .invalidSchema].contains(error.code) {
        hub.problems.append("\(operation) by \(person) tells \(error)")
      }
    case let reply:
      hub.problems.append("\(operation) by \(person), who has \(rights): \(reply, default: "none")")
    }
  }

  private mutating func transact() {
    guard let root else { return }
    let operations = (0..<input.below(5)).map { _ in input.operation(isAnybody: false) }
    let before = hub.model.revision
    hub.transact(operations, root)
    for operation in operations { world.created(operation, by: 0, hub.model, transactionAfter: before) }
  }

  private mutating func read(_ request: Request, _ raw: Int32) {
    let person = persons[raw]!
    hub.open(raw, room: .max)
    let before = hub.model.revision
    guard let reply = interrupted(request, raw) else { return hub.problems.append("\(request): no reply") }
    let visible = hub.model.stores.filter { world.rights(of: person, on: $0.key).contains(.read) }
    switch (request, reply) {
    case (.get(let store), .value(let state)) where visible[store.label]?.value == state.value: break
    case (.get(let store), .error(let error)) where visible[store.label] == nil && error.code == .noSuchStore:
      break
    case (.describe(let store), .described) where visible[store.label] != nil: break
    case (.describe(let store), .error(let error))
    where visible[store.label] == nil && error.code == .noSuchStore: break
    case (.list, .listed(let page, _)) where hub.model.revision != before:
      // Some were there for a part of the time.
      let world = world
      if !page.allSatisfy({ world.rights(of: person, on: $0.name).contains(.read) }) {
        hub.problems.append("\(request) by \(person): \(page.map(\.name))")
      }
    case (.list(let pattern, _, let limit), .listed(let page, let more)):
      let all = visible.keys.filter { pattern.matches(try! StoreName($0)) }.sorted()
      if page.map(\.name) != Array(all.prefix(Int(limit))) || more != (all.count > page.count) {
        hub.problems.append("\(request) by \(person): \(page.map(\.name)), there are \(all)")
      }
    case (.clients, .clients), (.ping, .pong), (.stats, .statistics), (.stats, .error): break
    default: hub.problems.append("\(request) by \(person): \(reply)")
    }
  }

  /// A request with a byte or two changed. What is still one is carried out as such, if the model knows what it does.
  private mutating func mutate(_ raw: Int32) {
    let request: Request =
      input.chance() ? .write(input.operation()) : input.chance() ? input.watch() : input.reading()
    var frame = OutputBuffer()
    request.encode(into: &frame, id: hub.clients[raw]!.nextRequest)
    var bytes = frame.array
    for _ in 0...input.below(2) {
      let offset = input.below(bytes.count)
      // Its length and its number stay: it is a frame of this client.
      if offset == 4 || offset >= Frame.headerLength { bytes[offset] = input.byte() }
    }
    let decoded = bytes.withByteView { view in
      Result { () throws(HubError) in try Request(decoding: FrameView(bytes: view)) }
    }
    switch decoded {
    case .success(.write(let operation)):
      guard case .name(let name) = operation.store, Input.names.contains(name) else { return }
      write(operation, raw)
    case .success(let request) where isRead(request): read(request, raw)
    case .success: return
    case .failure:
      hub.open(raw, room: .max)
      guard case .error? = hub.send(bytes, raw) else { return hub.problems.append("\(bytes) is no error") }
    }
  }

  private func isRead(_ request: Request) -> Bool {
    switch request {
    case .get(.name), .describe(.name), .ping, .stats: true
    case .list(_, let after, let limit): after.isEmpty && limit > 0
    default: false
    }
  }

  /// What has ended belongs to nobody.
  private mutating func forgetCreators() {
    let stores = hub.model.stores
    world.creators = world.creators.filter { stores[$0.key] != nil }
  }
}

extension World {
  /// Notes who created what a write has left behind.
  ///
  /// - Parameter transactionAfter: the revision before the transaction that it is a part of, which may have removed what
  ///   was there and created it anew.
  func created(
    _ operation: WriteOperation, by uid: UInt32, _ model: ModelHub, transactionAfter before: Revision = .max
  ) {
    creators = creators.filter { model.stores[$0.key] != nil }
    let name = operation.store.label
    guard let store = model.stores[name] else { return }
    if creators[name] == nil || store.version == 1 && store.revision > before {
      creators[name] = uid
    }
  }
}
