// A client's core on a real socket: one thread, its own or the program's event loop, connects, reads, keeps the time, and runs the jobs of tasks that
// prefer it. Requests are written by the threads that make them. It does
// not manage requests or watches.

internal import HubCore
internal import HubSystem
internal import HubTransport
internal import Synchronization

/// Its own thread starts when it is first needed and ends after `close`, once no task needs it.
final class SocketDriver: HubDriver, TaskExecutor {
  private struct State: ~Copyable {
    var core: ClientCore
    var socket: HubSocket?
    /// The socket did not take everything: epoll reports when it takes more.
    var waitsToWrite = false
    /// When the thread will check the core by itself.
    var sleepsUntil = Deadline(nanoseconds: 0)
  }

  private enum Thread {
    case none
    case running
    /// The program calls `process` on one of its own threads.
    case programs
  }

  private let path: String
  private let state: Mutex<State>
  private let jobs = JobQueue()
  /// The thread makes it, and connects to no hub before: a process may have no descriptors left for it.
  private let waiter = AtomicLazyReference<Waiter>()
  private let thread = Mutex(Thread.none)
  /// Whether the thread is running and has not announced its end; if so, nothing needs to be checked.
  private let isRunning = Atomic<Bool>(false)
  private let isClosed = Atomic<Bool>(false)

  init(path: String, name: String) {
    self.path = path
    state = Mutex(
      State(core: ClientCore(name: name, seed: .random(in: 0 ... .max), end: HubSocket.problem(with: path))))
  }

  /// A driver whose work `process` does, on the program's thread.
  ///
  /// - Throws: `noHub` if there are no descriptors for it.
  convenience init(polledAt path: String, name: String) throws(HubError) {
    self.init(path: path, name: name)
    _ = try usableWaiter()
    thread.withLock { $0 = .programs }
    isRunning.store(true, ordering: .sequentiallyConsistent)
  }

  var now: Deadline { .now }

  func sibling() -> any HubDriver {
    SocketDriver(path: path, name: state.withLock { $0.core.name })
  }

  // MARK: From any thread

  func withCore<R: Sendable>(_ body: @Sendable (inout ClientCore, inout Effects) -> R) -> R {
    var effects = Effects()
    // Not part of the result, because the type of a pair would be created at run time, for each call.
    var isNeeded = false
    let result = state.withLock { state in
      let result = body(&state.core, &effects)
      flush(&state)
      isNeeded = state.core.wantsConnection || state.core.nextDeadline < state.sleepsUntil
      return result
    }
    effects.run()
    if isNeeded { wakeThread() }
    return result
  }

  func close() {
    withCore { core, effects in core.close(&effects) }
    isClosed.store(true, ordering: .sequentiallyConsistent)
    wakeThread()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    if jobs.append(UnownedJob(job)) { waiter.load()?.wake() }
    startThread()
  }

  private func wakeThread() {
    waiter.load()?.wake()
    startThread()
  }

  /// Sends what the socket accepts.
  private func flush(_ state: inout State) {
    guard let descriptor = state.socket?.descriptor.raw else { return }
    while !state.core.unsent.isEmpty {
      guard case .bytes(let count) = Socket.send(state.core.unsent.buffer, to: descriptor) else { break }
      state.core.didSend(count)
    }
    let isLeft = !state.core.unsent.isEmpty
    guard isLeft != state.waitsToWrite else { return }
    state.waitsToWrite = isLeft
    waiter.load()?.watch(descriptor, forWriting: isLeft)
  }

  // MARK: The thread

  private func startThread() {
    if isRunning.load(ordering: .sequentiallyConsistent) { return }
    let isNew = thread.withLock { thread in
      isRunning.store(true, ordering: .sequentiallyConsistent)
      guard case .none = thread else { return false }
      thread = .running
      return true
    }
    guard isNew else { return }
    do throws(SystemError) {
      try SystemThread.startDetached { self.run() }
    } catch {
      preconditionFailure("cannot start a thread: \(error)")
    }
  }

  /// - Returns: false if there is still something to do.
  private func endThread() -> Bool {
    thread.withLock { thread in
      // A job that is appended after this check finds that no thread runs, and starts one.
      isRunning.store(false, ordering: .sequentiallyConsistent)
      guard jobs.isEmpty else {
        isRunning.store(true, ordering: .sequentiallyConsistent)
        return false
      }
      thread = .none
      return true
    }
  }

  /// What the thread keeps from one pass to the next.
  struct Pass: ~Copyable {
    fileprivate var effects = Effects()
    fileprivate var input = SocketInput()
    fileprivate var batch: [UnownedJob] = []
    fileprivate var events = PollerEvents(capacity: 2)
  }

  private func run() {
    var pass = Pass()
    var waiter: Waiter?
    var isReadable = false
    while true {
      // Before it looks for work, so that a later caller finds a thread to wake.
      if waiter == nil { waiter = try? usableWaiter() }
      let deadline = work(&pass, isReadable: isReadable)
      if isClosed.load(ordering: .sequentiallyConsistent), endThread() { return }
      let maySleep = jobs.prepareToSleep()
      isReadable = wait(waiter, &pass.events, milliseconds: maySleep ? deadline.pollTimeout() : 0)
      jobs.didWake()
    }
  }

  /// Reads if there is something to read, does what is due, and runs waiting jobs.
  ///
  /// - Returns: when something is due again.
  private func work(_ pass: inout Pass, isReadable: Bool) -> Deadline {
    let deadline = tend(&pass.input, &pass.effects, isReadable: isReadable)
    pass.effects.run { runJobs(&pass.batch) }
    runJobs(&pass.batch)
    return deadline
  }

  // MARK: The program's thread

  /// Becomes readable when `process` has work to do.
  var descriptor: Int32 { waiter.load()?.descriptor ?? -1 }

  /// The program's thread is gone: a thread of the driver does the remaining work until the driver is closed.
  func leave() {
    thread.withLock { thread in
      thread = .none
      isRunning.store(false, ordering: .sequentiallyConsistent)
    }
    close()
  }

  /// How many rounds of jobs run before the program's loop gets its turn.
  static let passes = 16

  /// Does all pending work without waiting. Call it from one thread at a time.
  ///
  /// - Returns: when to call it again at the latest, unless the descriptor becomes readable earlier.
  func process(_ pass: inout Pass) -> Deadline {
    jobs.didWake()
    for _ in 0..<SocketDriver.passes {
      let isReadable = wait(waiter.load(), &pass.events, milliseconds: 0)
      let deadline = work(&pass, isReadable: isReadable)
      // Any later work makes the descriptor readable.
      if jobs.prepareToSleep() { return deadline }
    }
    waiter.load()?.wake()
    return .now
  }

  /// How long a thread that cannot be woken sleeps, in milliseconds.
  private static let blindPause: Int32 = 20

  /// - Returns: whether the socket can be read.
  private func wait(_ waiter: Waiter?, _ events: inout PollerEvents, milliseconds: Int32) -> Bool {
    if let waiter { return waiter.wait(&events, milliseconds: milliseconds) }
    let longest = SocketDriver.blindPause
    Poll.pause(milliseconds: milliseconds < 0 ? longest : min(milliseconds, longest))
    return false
  }

  /// - Throws: `noHub` if there are no descriptors for it.
  private func usableWaiter() throws(HubError) -> Waiter {
    if let waiter = waiter.load() { return waiter }
    return try SystemError.attempt(waiter.storeIfNil(try Waiter())) {
      HubError(.noHub, "cannot wait for a hub: \($0)\(HubSocket.hint(for: $0))")
    }
  }

  /// - Parameter batch: empty, before and after.
  private func runJobs(_ batch: inout [UnownedJob]) {
    jobs.take(&batch)
    if batch.isEmpty { return }
    for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
    batch.removeAll(keepingCapacity: true)
  }

  /// Reads what the hub sent, and checks time and connection, under one lock.
  ///
  /// - Returns: when to check again.
  private func tend(_ input: inout SocketInput, _ effects: inout Effects, isReadable: Bool) -> Deadline {
    var isReadable = isReadable
    while true {
      let end = isReadable ? input.read() : nil
      let now = Deadline.now
      var isLost = false
      let (order, deadline) = state.withLock { state in
        if isReadable {
          var error: HubError?
          while error == nil, state.socket != nil, let message = input.next() {
            error = state.core.receive(message, now: now, &effects)
          }
          isLost = disconnect(&state, error ?? end, now, &effects)
        }
        let order = state.core.step(now: now, &effects)
        if case .disconnect = order { disconnect(&state) }
        if state.core.isClosed { disconnect(&state) }
        flush(&state)
        let deadline = state.core.nextDeadline
        state.sleepsUntil = deadline
        return (order, deadline)
      }
      isReadable = false
      if isLost { input = SocketInput() }
      switch order {
      case .none: return deadline
      case .disconnect: input = SocketInput()
      case .connect: connect(&input, &effects)
      }
    }
  }

  private func connect(_ input: inout SocketInput, _ effects: inout Effects) {
    input = SocketInput()
    let now = Deadline.now
    do throws(HubError) {
      let waiter = try usableWaiter()
      let socket = try HubSocket.connect(to: path, deadline: nil)
      let descriptor = socket.descriptor.raw
      try SystemError.attempt(waiter.add(descriptor)) {
        HubError(.noHub, "cannot wait for the hub at \(path): \($0)")
      }
      input.descriptor = descriptor
      adopt(socket, now, &effects)
    } catch {
      state.withLock { $0.core.connectFailed(error, now: now, &effects) }
    }
  }

  private func adopt(_ socket: consuming HubSocket, _ now: Deadline, _ effects: inout Effects) {
    var socket: HubSocket? = consume socket
    state.withLock { state in
      guard !state.core.isClosed else { return }
      state.socket = socket.take()
      state.waitsToWrite = false
      state.core.connected(now: now, &effects)
      flush(&state)
    }
  }

  private func disconnect(_ state: inout State) { state.socket = nil }

  /// - Parameter error: why the connection is unusable, if it is.
  /// - Returns: whether it is gone.
  private func disconnect(
    _ state: inout State, _ error: HubError?, _ now: Deadline, _ effects: inout Effects
  ) -> Bool {
    guard state.socket != nil else { return true }
    guard let error else { return false }
    disconnect(&state)
    state.core.lost(error, now: now, &effects)
    return true
  }
}
