// A client's core whose bytes are carried by the program, without a descriptor, thread or timer. It does not manage
// requests or watches.

internal import HubCore
internal import HubTransport
internal import Synchronization

/// Jobs run within `process`. Everything else that makes `process` necessary rings the program's bell, once.
final class CarriedDriver: HubDriver, TaskExecutor {
  private struct State: ~Copyable {
    var core: ClientCore
    var assembler = FrameAssembler(maximumLength: HubMessage.firstLengthLimit)
    /// The program has a connection, according to its last report.
    var isConnected = false
    /// The program has one that must be closed.
    var owesDisconnect = false
    /// When the program will call `process` by itself.
    var sleepsUntil = Deadline(nanoseconds: 0)

    mutating func disconnect() {
      owesDisconnect = owesDisconnect || isConnected
      isConnected = false
    }
  }

  private struct Jobs {
    var waiting: [UnownedJob] = []
    /// Whether `process` is no longer called.
    var isLeft = false
  }

  private let path: String
  private let wake: @Sendable () -> Void
  private let state: Mutex<State>
  private let jobs = Mutex(Jobs())
  /// Whether there is work that `process` has not seen.
  private let isRung = Atomic<Bool>(false)
  /// Whether `process` is running, or the program will call it next.
  private let isAwake = Atomic<Bool>(false)

  init(path: String, name: String, wake: @escaping @Sendable () -> Void) {
    self.path = path
    self.wake = wake
    state = Mutex(
      State(core: ClientCore(name: name, seed: .random(in: 0 ... .max), end: HubSocket.problem(with: path))))
  }

  var now: Deadline { .now }

  func sibling() -> any HubDriver {
    SocketDriver(path: path, name: state.withLock { $0.core.name })
  }

  // MARK: From any thread

  func withCore<R: Sendable>(_ body: @Sendable (inout ClientCore, inout Effects) -> R) -> R {
    var effects = Effects()
    var isNeeded = false
    let result = state.withLock { state in
      let result = body(&state.core, &effects)
      isNeeded =
        state.core.wantsConnection || !state.core.unsent.isEmpty
        || state.core.nextDeadline < state.sleepsUntil || state.core.isClosed
      return result
    }
    effects.run()
    if isNeeded { ring() }
    return result
  }

  func close() { withCore { core, effects in core.close(&effects) } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = jobs.withLock { jobs in
      if !jobs.isLeft { jobs.waiting.append(job) }
      return !jobs.isLeft
    }
    if isTaken { ring() } else { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  /// A caller changes something before it rings, and `process` looks only after it has silenced the bell: nothing is
  /// overlooked. While the loop is awake, `rest` finds the bell rung.
  private func ring() {
    if isRung.exchange(true, ordering: .sequentiallyConsistent) { return }
    if !isAwake.load(ordering: .sequentiallyConsistent) { wake() }
  }

  // MARK: From the program's loop

  /// Does what is due and runs waiting jobs.
  func process() -> CarriedHub.Turn {
    for _ in 0..<SocketDriver.passes {
      isAwake.store(true, ordering: .sequentiallyConsistent)
      isRung.store(false, ordering: .sequentiallyConsistent)
      let turn = tend()
      runJobs()
      // After an action the program calls again.
      if rest() || turn.action != .none { return turn }
    }
    wake()
    return CarriedHub.Turn(action: .none, deadline: .now)
  }

  /// From here on the bell rings again.
  ///
  /// - Returns: whether the bell has not rung in between.
  private func rest() -> Bool {
    isAwake.store(false, ordering: .sequentiallyConsistent)
    return !isRung.load(ordering: .sequentiallyConsistent)
  }

  private func tend() -> CarriedHub.Turn {
    change { state, effects in
      // The previous connection must be closed first: the action to connect is returned only once.
      let order = state.owesDisconnect ? .disconnect : state.core.step(now: .now, &effects)
      if case .disconnect = order { state.disconnect() }
      if state.core.isClosed { state.disconnect() }
      let deadline = state.core.nextDeadline
      state.sleepsUntil = deadline
      if state.owesDisconnect {
        state.owesDisconnect = false
        return CarriedHub.Turn(action: .disconnect, deadline: .now)
      }
      if case .connect = order { return CarriedHub.Turn(action: .connect, deadline: .now) }
      return CarriedHub.Turn(action: .none, deadline: deadline)
    }
  }

  func connected() {
    report { state, effects in
      state.assembler = FrameAssembler(maximumLength: HubMessage.firstLengthLimit)
      state.isConnected = true
      guard !state.core.isClosed else { return state.disconnect() }
      state.core.connected(now: .now, &effects)
    }
  }

  func connectFailed(_ error: HubError) {
    report { state, effects in
      if !state.core.isClosed { state.core.connectFailed(error, now: .now, &effects) }
    }
  }

  /// Handles the end of the program's connection.
  func disconnected(_ error: HubError) {
    report { state, effects in
      guard state.isConnected else { return }
      state.isConnected = false
      if !state.core.isClosed { state.core.lost(error, now: .now, &effects) }
    }
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    let view = ByteView(bytes)
    report { state, effects in
      guard state.isConnected, !state.core.isClosed else { return }
      state.assembler.append(view)
      while let message = state.assembler.nextMessage() {
        guard let error = state.core.receive(message, now: .now, &effects) else { continue }
        state.disconnect()
        return state.core.lost(error, now: .now, &effects)
      }
    }
  }

  func takeOutput(atMost limit: Int) -> [UInt8] {
    state.withLock { state in
      guard state.isConnected else { return [] }
      let unsent = state.core.unsent
      let bytes = unsent.slice(0, min(unsent.count, limit)).array
      state.core.didSend(bytes.count)
      return bytes
    }
  }

  /// `process` will not be called again: Swift's pool does what is left.
  func leave() {
    // The bell stays silent.
    isAwake.store(true, ordering: .sequentiallyConsistent)
    let stranded = jobs.withLock { jobs in
      jobs.isLeft = true
      defer { jobs.waiting = [] }
      return jobs.waiting
    }
    for job in stranded { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    close()
  }

  /// Applies what the program reports. The program calls `process` next, so the bell need not ring until then.
  private func report(_ body: (inout State, inout Effects) -> Void) {
    isAwake.store(true, ordering: .sequentiallyConsistent)
    change(body)
  }

  private func change<R: Sendable>(_ body: (inout State, inout Effects) -> R) -> R {
    var effects = Effects()
    let result = state.withLock { body(&$0, &effects) }
    effects.run()
    return result
  }

  private func runJobs() {
    var batch: [UnownedJob] = []
    jobs.withLock { swap(&$0.waiting, &batch) }
    for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
