// An engine with clients whose connections take as many bytes as a test allows: the hub's shell without a kernel.

import HubCore
import HubEngine

struct EngineHarness: ~Copyable {
  var engine: HubEngine
  var clients: [Int32: HarnessClient] = [:]
  var model = ModelHub()
  let past = Past()
  var now = Instant(wall: 1_700_000_000_000_000_000, boot: 1_000_000_000)
  var problems: [String] = []
  let ledger = ShownVersions()
  /// What the engine has written; nil: it has no journal.
  private(set) var journal: PaperJournal?
  /// The access rules in force; none of the model's business.
  private(set) var rules = AccessRules()
  private var nextSession: Int32 = 0
  private var freeSessions: [Int32] = []

  /// How many sessions were handed out: before every third there is a pause.
  private var handedOut = 0
  /// Clients whose requests take further steps: what they ask next comes after.
  private var asking: Set<Int32> = []
  /// What others do while a request takes several steps.
  var meanwhile: ((_ asking: Int32, inout EngineHarness) -> Void)?

  /// - Parameter stepWork: so little that whatever can take several steps takes them.
  init(
    logBytes: Int = 1 << 16, removals: Int = 4096, journals: Bool = false, stepWork: Int = 200,
    configure: (inout HubEngine.Options) -> Void = { _ in }
  ) {
    var options = HubEngine.Options()
    options.changeLogBytes = logBytes
    options.rememberedRemovals = removals
    options.journals = journals
    options.stepWork = stepWork
    options.longFrame = 64
    configure(&options)
    rules = options.access
    model.maximumStores = options.maximumStores
    engine = HubEngine(options: options, epoch: Epoch(high: 1, low: 2), now: now)
    if journals {
      engine.finishRestoring(revision: 0, serial: 0, floor: 0, isSameBoot: true, now: now)
      var paper = PaperJournal()
      paper.begin(&engine)
      journal = paper
    }
  }

  /// Advances both clocks.
  mutating func advance(by nanoseconds: UInt64) {
    now.boot += nanoseconds
    now.wall += Int64(nanoseconds)
  }

  // MARK: Clients

  mutating func connect(
    _ view: ClientView = ClientView(), as peer: Peer? = nil,
    groups: [UInt32] = [], at socket: String? = nil
  ) -> Int32 {
    let raw = freeSessions.popLast() ?? nextSession
    if raw == nextSession { nextSession += 1 }
    var client = HarnessClient(session: SessionID(raw: raw))
    client.view = view
    client.groups = groups
    let past = past
    client.view.stateAt = { past.states[$0] }
    clients[raw] = client
    let peer = peer ?? Peer(pid: 1, uid: 1000 + UInt32(raw % 3), gid: 1000)
    engine.open(client.session, peer: peer, groups: groups, at: socket, now: now)
    guard case .welcome? = request(.hello(name: "test"), raw) else {
      problems.append("no welcome")
      return raw
    }
    return raw
  }

  /// Ends the connection and returns what the client knew.
  mutating func disconnect(_ raw: Int32) -> ClientView {
    let client = clients.removeValue(forKey: raw)!
    while !engine.close(client.session, in: engine.openTurn(), now: now) { turn() }
    model.close(session: raw)
    past.states = model.history
    freeSessions.append(raw)
    return client.view
  }

  /// Sends one request; returns the reply, if the connection has room for it.
  @discardableResult
  mutating func request(_ request: Request, _ raw: Int32) -> Reply? {
    clients[raw]!.view.willSend(request, clients[raw]!.nextRequest)
    var frame = OutputBuffer()
    request.encode(into: &frame, id: clients[raw]!.nextRequest)
    return send(frame.array, raw)
  }

  /// Sends a frame with the client's next request number.
  mutating func send(_ bytes: [UInt8], _ raw: Int32) -> Reply? {
    clients[raw]!.nextRequest += 1
    var frame = OutputBuffer()
    bytes.withByteView { frame.append($0) }
    var replies = OutputBuffer()
    let session = SessionID(raw: raw)
    var receipt = engine.receive(
      FrameView(bytes: frame.view), from: session, in: engine.openTurn(), now: now, into: &replies)
    var steps = 0
    asking.insert(raw)
    defer { asking.remove(raw) }
    while receipt.contains(.askAgain) {
      steps += 1
      if steps > 10_000 {
        problems.append("a request is never done: \(bytes)")
        break
      }
      journal?.commit(&engine)
      // As the server does: what a client asks to watch at once begins at once, and ends at once.
      switch FrameView(bytes: frame.view).kind {
      case .request(.watch), .request(.unwatch): engine.pauseDelivery(to: session)
      default: break
      }
      if steps > 1 { handOut() }
      if let meanwhile {
        self.meanwhile = nil
        meanwhile(raw, &self)
        self.meanwhile = meanwhile
      }
      receipt = engine.receive(
        FrameView(bytes: frame.view), from: session, in: engine.openTurn(), now: now, into: &replies)
    }
    if steps > 0, !clients[raw]!.waits { engine.resumeDelivery(to: session) }
    let before = clients[raw]!.replies.count
    deliver(replies.array, to: raw)
    return clients[raw].flatMap { $0.replies.count > before ? $0.replies.last : nil }
  }

  /// Bytes leave the hub for a client's connection: as many as it has room for; the rest waits.
  private mutating func deliver(_ bytes: [UInt8], to raw: Int32) {
    clients[raw]!.unsent += bytes
    flush(raw)
    if clients[raw]!.waits { engine.pauseDelivery(to: SessionID(raw: raw)) }
  }

  private mutating func flush(_ raw: Int32) {
    flushRest(raw)
    if clients[raw]!.rest != nil { return }
    let count = min(clients[raw]!.unsent.count, clients[raw]!.room)
    let taken = Array(clients[raw]!.unsent.prefix(count))
    clients[raw]!.unsent.removeFirst(count)
    if clients[raw]!.room != .max { clients[raw]!.room -= count }
    clients[raw]!.read(taken, ledger, engine.epoch, &problems)
  }

  /// The client reads: its connection has room again.
  mutating func open(_ raw: Int32, room: Int) {
    clients[raw]!.room = room
    flush(raw)
    if !clients[raw]!.waits { engine.resumeDelivery(to: SessionID(raw: raw)) }
  }

  /// Takes a step of noting what the turn has changed.
  mutating func note() {
    journal?.commit(&engine)
    _ = engine.complete(engine.openTurn())
  }

  /// Ends the turn and sends what is due.
  mutating func turn() {
    let turn = engine.openTurn()
    engine.expire(in: turn, now: now)
    model.expire(boot: now.boot)
    past.states = model.history
    if model.revision != engine.revision {
      problems.append("the engine is at revision \(engine.revision), the model at \(model.revision)")
    }
    handOut()
  }

  /// The same, while a request waits for another step.
  private mutating func handOut() {
    journal?.commit(&engine)
    repeat {
      if let turn = engine.complete(engine.openTurn()) { return handOut(turn) }
    } while engine.hasWork
    problems += engine.brokenInvariants()
  }

  private mutating func handOut(_ turn: consuming Turn) {
    var sealed = engine.seal(turn)
    while engine.hasDue(in: sealed) {
      guard let session = engine.nextDue(in: sealed) else {
        // To find them takes another step.
        engine.suspend(sealed)
        askMeanwhile(handedOut)
        sealed = engine.resume()
        continue
      }
      handedOut += 1
      if handedOut % 3 == 0 {
        engine.suspend(sealed)
        askMeanwhile(handedOut / 3)
        sealed = engine.resume()
      }
      if clients[session.raw] == nil {
        // It is ending, and its connection is gone.
        engine.pauseDelivery(to: session)
        continue
      }
      while true {
        let due = engine.due(for: session, in: sealed)
        if due.isEmpty { break }
        let room = clients[session.raw]!.room
        let count = min(due.count, room)
        let taken = due.slice(0, count).array
        let rest = engine.sent(count, to: session, in: sealed).array
        let held = engine.holdRest(rest.count, in: sealed)
        if room != .max { clients[session.raw]!.room -= count }
        clients[session.raw]!.read(taken, ledger, engine.epoch, &problems)
        if let held { clients[session.raw]!.rest = held } else { clients[session.raw]!.unsent += rest }
      }
    }
    engine.end(sealed)
    while engine.isHandingOut {
      askMeanwhile(handedOut)
      engine.end(engine.resume())
    }
    if handedOut % 5 == 0, engine.isBetweenTurns { releaseFreed() }
    problems += engine.brokenInvariants()
  }

  /// A client is answered while the turn is being handed out.
  private mutating func askMeanwhile(_ number: Int) {
    let raws = clients.keys.filter { !asking.contains($0) }.sorted()
    if raws.isEmpty { return }
    let raw = raws[number % raws.count]
    guard case .pong? = request(.ping, raw) else {
      // Its connection takes nothing at present.
      if !clients[raw]!.waits { problems.append("client \(raw) is not answered") }
      return
    }
  }

  /// Replaces the engine by one restored from its image.
  ///
  /// - Parameter logBytes: the new size of the change log.
  mutating func handOver(logBytes: Int? = nil) {
    turn()
    for raw in clients.keys { copyRest(raw) }
    let image = EngineImage.bytes(of: engine)
    // `setAccess` puts rules into force without making them options.
    var options = engine.options
    options.access = rules
    let groups = clients.mapValues(\.groups)
    do throws(ImageError) {
      engine = try EngineImage.engine(from: image, options: options, groups: { groups[$0] ?? [] })
    } catch {
      return problems.append("the image cannot be read: \(error)")
    }
    if EngineImage.bytes(of: engine) != image { problems.append("the image was not kept whole") }
    apply(logBytes: logBytes)
  }

  /// Other access rules come into force, when everybody has read what the old ones let through.
  mutating func setAccess(_ rules: AccessRules) {
    for raw in clients.keys { open(raw, room: .max) }
    turn()
    turn()
    self.rules = rules
    let clients = clients
    engine.setAccess(rules) { clients[$0.raw]?.groups ?? [] }
  }

  /// The hub ends, and another one starts from its journal. All connections are lost.
  ///
  /// - Parameters:
  ///   - end: how it ends.
  ///   - downtime: how long no hub is running, in nanoseconds.
  ///   - rules: the access rules of the one that starts; nil: as before.
  /// - Returns: what its clients knew.
  mutating func restart(_ end: HubEnd, downtime: UInt64, access rules: AccessRules? = nil) -> [ClientView] {
    turn()
    var views: [ClientView] = []
    for raw in clients.keys.sorted() {
      views.append(end == .stop ? disconnect(raw) : clients.removeValue(forKey: raw)!.view)
    }
    let epoch = engine.epoch
    for index in views.indices {
      views[index].epoch = epoch
      // The log was lost with the hub.
      views[index].expectsEvery = false
    }
    if end == .stop {
      journal!.end(&engine, now: now)
      model.stop(removals: engine.options.rememberedRemovals)
      if engine.revision != model.revision {
        problems.append("stopped at revision \(engine.revision), the model at \(model.revision)")
      }
    }
    let boot = now.boot
    advance(by: downtime)
    if end == .powerLoss { now.boot = 7_000_000 }
    self.rules = rules ?? self.rules
    do throws(HubError) {
      var options = engine.options
      options.access = self.rules
      engine = try journal!.engine(options, epoch: epoch, behind: end, now: now)
    } catch {
      problems.append("the journal cannot be read: \(error)")
      return views
    }
    if engine.revision < model.revision {
      problems.append("revision \(engine.revision) after \(model.revision)")
    }
    startModel(end, boot: boot, downtime: downtime)
    journal!.begin(&engine)
    (nextSession, freeSessions) = (0, [])
    return views
  }

  private mutating func startModel(_ end: HubEnd, boot: UInt64, downtime: UInt64) {
    let before = model
    func deadline(_ deadline: UInt64) -> UInt64 {
      if end != .powerLoss { return deadline }
      let left = deadline > boot + downtime ? deadline - boot - downtime : 0
      return now.boot + left
    }
    // What ends at the start has the revision after the one where the new hub begins.
    model.start(at: max(engine.revision, 1) - 1, boot: now.boot, deadline: deadline)
    if model.revision != engine.revision {
      model = before
      model.start(at: engine.revision, boot: now.boot, deadline: deadline)
    }
    past.states = model.history
  }

  /// The journal starts over with a snapshot.
  mutating func compact() {
    turn()
    journal?.compact(engine, now: now)
  }

  // MARK: Checks

  /// Every client reads everything: all of them must arrive at the hub's state.
  ///
  /// - Parameter reader: the one who asks for each store; nil: any.
  mutating func settle(asking reader: Int32? = nil) {
    for raw in clients.keys { open(raw, room: .max) }
    turn()
    turn()
    for (raw, client) in clients {
      problems += client.view.problems.map { "client \(raw): \($0)" }
      if client.view.watches.isEmpty { continue }
      if !client.view.isSynced { problems.append("Race-free: client \(raw) never saw synced") }
      let expected = model.stores.mapValues(\.value).filter { client.view.follows($0.key) }
      if !client.view.shows(expected) {
        problems.append("Latest: client \(raw) ends on \(client.view.view), the hub on \(expected)")
      }
    }
    for (name, store) in model.stores {
      guard let raw = reader ?? clients.keys.first else { return }
      guard case .value(let state)? = request(.get(.name(try! StoreName(name))), raw) else {
        problems.append("\(name) cannot be read")
        continue
      }
      if state.value != store.value || state.revision != store.revision || state.version != store.version {
        problems.append("\(name) is \(state), the model says \(store)")
      }
    }
    if engine.storeCount != model.stores.count {
      problems.append("\(engine.storeCount) stores, the model has \(model.stores.count)")
    }
  }
}
