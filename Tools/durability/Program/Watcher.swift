// A watcher process: follows a pattern over all restarts, mostly from its bookmark, and writes down every event.

import DurabilityHistory
import Glibc
import HubClient
import HubCore
import HubTransport
import TestSupport

struct Watcher: ~Copyable {
  private let name: String
  private let pattern: NamePattern
  private let every: Bool
  private let socket: String
  private let stop: String
  private var random: SeededGenerator
  private var history: HistoryFile
  private var view = WatchView()

  init(
    name: String, pattern: NamePattern, every: Bool, seed: UInt64, socket: String, history: String,
    stop: String
  ) {
    self.name = name
    self.pattern = pattern
    self.every = every
    self.socket = socket
    self.stop = stop
    random = SeededGenerator(seed: seed)
    self.history = HistoryFile(history)
  }

  mutating func run() {
    while access(stop, F_OK) != 0 {
      do throws(HubError) {
        var hub = try HubConnection(to: .explicit(socket), name: "watcher \(name)")
        try follow(&hub)
      } catch {
        history.add(.lost)
        history.flush()
        usleep(1000)
      }
    }
    history.flush()
  }

  private mutating func follow(_ hub: inout HubConnection) throws(HubError) {
    if Int.random(in: 0..<4, using: &random) == 0 { view = WatchView() }
    // The hub's epoch decides whether the bookmark is worth anything; the hub looks itself.
    let bookmark = view.bookmark
    let watch = try hub.send(.watch([pattern], policy: every ? .every : .latest, bookmark: bookmark))
    guard case .watching = try hub.receive(watch, deadline: .patient), let welcome = hub.welcome else {
      throw HubError(.protocolViolation, "no answer to watch")
    }
    history.add(
      .connected(epoch: welcome.epoch.description, revision: welcome.revision, pid: welcome.pid))
    history.add(.opened(pattern: pattern.text, bookmark: bookmark?.revision))
    _ = view.open(epoch: welcome.epoch, every: every)
    while access(stop, F_OK) != 0 {
      guard let event = try next(&hub) else { continue }
      _ = view.apply(event)
      if let record = record(of: event) { history.add(record) }
    }
  }

  /// The next event. What was written down goes to the file when there is nothing else to do.
  private mutating func next(_ hub: inout HubConnection) throws(HubError) -> HubEvent? {
    for deadline in [Deadline.now, .after(.milliseconds(100))] {
      do throws(HubError) {
        return try hub.nextEvent(deadline: deadline)
      } catch {
        if error.code != .timeout { throw error }
        history.flush()
      }
    }
    return nil
  }

  private func record(of event: HubEvent) -> Record? {
    switch event {
    case .change(let state, _, _): .shown(Sight("", Mark(state), Cell(state.value)))
    case .created(let name, _, let state, _, _, _), .current(let name, let state):
      .shown(Sight(name, Mark(state), Cell(state.value)))
    case .removed(let name, let removal, _, _): .removed(name: name, Mark(removal))
    case .synced(let revision): .synced(revision)
    case .resumed(let revision): .resumed(revision)
    case .forget(let epoch, let revision): .forget(epoch: epoch.description, revision: revision)
    case .ended, .forward, .withdraw, .ask: nil
    }
  }
}
