// `watch --exec`: runs the command for one event after another, never two at once.

internal import HubCore

struct Runner: ~Copyable {
  private let command: [Argument]
  private let stopsOnFailure: Bool
  private var queue = ExecQueue()
  private var child: Child?
  /// The number of finished runs.
  private(set) var finished = 0

  init(_ command: [Argument], stopsOnFailure: Bool) {
    self.command = command
    self.stopsOnFailure = stopsOnFailure
  }

  /// What to poll for reading; -1 while nothing runs.
  var descriptor: Int32 {
    switch child {
    case .some(let child): child.descriptor
    case nil: -1
    }
  }

  /// Nothing runs or waits.
  var isIdle: Bool {
    switch child {
    case .some: false
    case nil: queue.isEmpty
    }
  }

  mutating func put(_ event: StoreEvent) { queue.put(event) }

  /// An event waits, and nothing runs.
  var isWaiting: Bool {
    switch child {
    case .some: false
    case nil: !queue.isEmpty
    }
  }

  /// Starts the next run unless one is in progress.
  mutating func start() throws(Failure) {
    guard child == nil, let event = queue.next() else { return }
    child = try Child(command, for: event)
  }

  /// The run is over.
  ///
  /// - Throws: `status` with what the command failed with, if that ends the watch.
  mutating func reap() throws(Failure) {
    guard let ended = child.take() else { return }
    let status = try ended.status()
    finished += 1
    if status == 0 { return }
    if stopsOnFailure { throw .status(status) }
    complain("\(command[0].text) failed with status \(status)")
  }
}
