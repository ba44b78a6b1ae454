// `watch --exec`: runs the command for one event after another, never two at once.

internal import HubCore
internal import HubTransport

struct Runner {
  private let command: [Argument]
  /// Between two starts at least.
  private let interval: Duration?
  private let stopsOnFailure: Bool
  private var queue = ExecQueue()
  private var child: Child?
  private var nextStart = Deadline(nanoseconds: 0)
  /// The number of finished runs.
  private(set) var finished = 0

  init(_ command: [Argument], every interval: Duration?, stopsOnFailure: Bool) {
    self.command = command
    self.interval = interval
    self.stopsOnFailure = stopsOnFailure
  }

  /// What to poll for reading; -1 while nothing runs.
  var descriptor: Int32 { child?.descriptor ?? -1 }

  /// Nothing runs or waits.
  var isIdle: Bool { descriptor < 0 && queue.isEmpty }

  /// When the next run can start; never while one is in progress, or if no event waits.
  var due: Deadline { descriptor < 0 && !queue.isEmpty ? nextStart : .never }

  mutating func put(_ event: StoreEvent) { queue.put(event) }

  /// Starts the next run, if it is due.
  mutating func start() throws(Failure) {
    guard due <= .now, let event = queue.next() else { return }
    child = try Child(command, for: event)
    if let interval { nextStart = .after(interval) }
  }

  /// The run is over.
  ///
  /// - Throws: `status` with what the command failed with, if that ends the watch.
  mutating func reap() throws(Failure) {
    guard let ended = child else { return }
    child = nil
    let status = try ended.status()
    finished += 1
    if status == 0 { return }
    if stopsOnFailure { throw .status(status) }
    complain("\(command[0].text) failed with status \(status)")
  }
}
