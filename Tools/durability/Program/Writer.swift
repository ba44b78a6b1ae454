// A writer process: looks at its stores, changes them as fast as the hub answers, and begins anew whenever the hub has gone.

import DurabilityHistory
import Glibc
import HubClient
import HubCore
import HubTransport

struct Writer: ~Copyable {
  private let number: Int
  private let socket: String
  private let stop: String
  private var plan: Plan
  private var history: HistoryFile
  private var step = 0
  private var stores: [String: Cell] = [:]
  /// All writers agree on it for each hub, so that some hubs write nothing volatile and watches can resume behind them.
  private var writesVolatile = false

  init(number: Int, seed: UInt64, socket: String, history: String, stop: String) {
    self.number = number
    self.socket = socket
    self.stop = stop
    plan = Plan(writer: number, seed: seed)
    self.history = HistoryFile(history)
  }

  /// Until the file `stop` exists, and every step has an answer or an observation behind it.
  mutating func run() {
    while true {
      do throws(HubError) {
        var hub = try HubConnection(to: .explicit(socket), name: "writer \(number)")
        try observe(&hub)
        while access(stop, F_OK) != 0 { try work(&hub) }
        return history.flush()
      } catch {
        history.add(.lost)
        history.flush()
        // Nobody is there: the next attempt is soon.
        usleep(1000)
      }
    }
  }

  private mutating func observe(_ hub: inout HubConnection) throws(HubError) {
    let watch = try hub.send(.watch([try NamePattern("w\(number).**")]))
    guard case .watching(let start) = try hub.receive(watch, deadline: .patient), let welcome = hub.welcome
    else {
      throw HubError(.protocolViolation, "no answer to watch")
    }
    history.add(
      .connected(epoch: welcome.epoch.description, revision: welcome.revision, pid: welcome.pid))
    writesVolatile = welcome.pid % 3 == 0
    var sights: [Sight] = []
    while true {
      let event = try hub.nextEvent(deadline: .patient)
      if case .current(let name, let state) = event {
        sights.append(Sight(name, Mark(state), Cell(state.value)))
      }
      if case .synced(let revision) = event, revision >= start { break }
    }
    _ = try hub.request(.unwatch(watch), deadline: .patient)
    history.add(.observed(sights))
    history.flush()
    stores = [:]
    for sight in sights { stores[sight.name] = sight.cell }
  }

  private mutating func work(_ hub: inout HubConnection) throws(HubError) {
    var sent: [(Step, UInt32)] = []
    for _ in 0..<plan.depth() {
      step += 1
      let next = plan.step(step, on: stores, writesVolatile: writesVolatile)
      stores = next.applied(to: stores, of: number)
      history.add(.sent(next))
      sent.append((next, hub.enqueue(next.request)))
    }
    // What is not written down must not happen.
    history.flush()
    try hub.flush(deadline: .patient)
    for (step, request) in sent {
      do throws(HubError) {
        history.add(try answer(to: step, try hub.receive(request, deadline: .patient)))
      } catch {
        guard error.isAboutTheConnection else {
          history.add(.refused(step.number, reason: error.description))
          throw error
        }
        throw error
      }
    }
    history.flush()
    usleep(plan.pauseMicroseconds())
  }

  private func answer(to step: Step, _ reply: Reply) throws(HubError) -> Record {
    switch reply {
    case .written(let result): .acknowledged(step.number, revision: result.revision, [Mark(result)])
    case .committed(let revision, let results):
      .acknowledged(step.number, revision: revision, results.map { Mark($0) })
    default: throw HubError(.protocolViolation, "a strange answer")
    }
  }
}

extension HubError {
  /// The hub has gone, or is going, and what becomes of requests is not known.
  var isAboutTheConnection: Bool {
    switch code {
    case .connectionLost, .shuttingDown, .noHub, .closed: true
    default: false
    }
  }
}

extension Deadline {
  /// Also a busy machine answers before.
  static var patient: Deadline { .after(.seconds(60)) }
}

extension Mark {
  init(_ state: StoreState) { self.init(id: state.id.raw, revision: state.revision, version: state.version) }
  init(_ result: WriteResult) {
    self.init(id: result.id.raw, revision: result.revision, version: result.version)
  }
  init(_ removal: HubEvent.Removal) {
    self.init(id: removal.id.raw, revision: removal.revision, version: removal.version)
  }
}
