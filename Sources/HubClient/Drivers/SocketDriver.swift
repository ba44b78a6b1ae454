// A client's core on a real socket: one thread that connects, reads and keeps the time, and runs the jobs of tasks that
// prefer it. Requests are written by the threads that make them. It decides nothing about requests and watches.

internal import Glibc
internal import HubCore
internal import HubTransport
internal import Synchronization

/// The thread starts with the first need for it and ends after `close`, once no task needs it any more.
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
  }

  private let path: String
  private let state: Mutex<State>
  private let jobs = JobQueue()
  private let poller = Poller()
  private let thread = Mutex(Thread.none)
  /// The thread runs, and has not said that it ends: no need to look.
  private let isRunning = Atomic<Bool>(false)
  private let isClosed = Atomic<Bool>(false)

  init(path: String, name: String) {
    self.path = path
    state = Mutex(State(core: ClientCore(name: name, seed: .random(in: 0 ... .max))))
  }

  var now: Deadline { .now }

  // MARK: From any thread

  func withCore<R: Sendable>(_ body: @Sendable (inout ClientCore, inout Effects) -> R) -> R {
    var effects = Effects()
    let (result, isNeeded) = state.withLock { state in
      let result = body(&state.core, &effects)
      flush(&state)
      return (result, state.core.wantsConnection || state.core.nextDeadline < state.sleepsUntil)
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
    if jobs.append(UnownedJob(job)) { poller.wake() }
    startThread()
  }

  private func wakeThread() {
    poller.wake()
    startThread()
  }

  /// Sends what the socket takes.
  private func flush(_ state: inout State) {
    guard let descriptor = state.socket?.descriptor.raw else { return }
    while !state.core.unsent.isEmpty {
      guard case .bytes(let count) = HubSocket.send(state.core.unsent, to: descriptor) else { break }
      state.core.didSend(count)
    }
    let isLeft = !state.core.unsent.isEmpty
    guard isLeft != state.waitsToWrite else { return }
    state.waitsToWrite = isLeft
    poller.watch(descriptor, forWriting: isLeft)
  }

  // MARK: The thread

  private func startThread() {
    if isRunning.load(ordering: .sequentiallyConsistent) { return }
    let isNew = thread.withLock { thread in
      defer { thread = .running }
      isRunning.store(true, ordering: .sequentiallyConsistent)
      return if case .none = thread { true } else { false }
    }
    guard isNew else { return }
    // Signals are the program's business, on its own threads.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    var id = pthread_t()
    let driver = Unmanaged.passRetained(self)
    let result = pthread_create(
      &id, nil,
      { driver in
        Unmanaged<SocketDriver>.fromOpaque(driver!).takeRetainedValue().run()
        return nil
      }, driver.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    precondition(result == 0, "cannot start a thread: \(String(cString: strerror(result)))")
    pthread_detach(id)
  }

  /// - Returns: false if there is something to do after all.
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

  private func run() {
    var effects = Effects()
    var input = Input()
    var batch: [UnownedJob] = []
    while true {
      let deadline = tend(&input, &effects)
      effects.run { runJobs(&batch) }
      runJobs(&batch)
      if isClosed.load(ordering: .sequentiallyConsistent), endThread() { return }
      let maySleep = jobs.prepareToSleep()
      let readiness = poller.wait(timeout: maySleep ? deadline.pollTimeout() : 0)
      jobs.didWake()
      if readiness.isReadable { read(&input, &effects) }
      effects.run { runJobs(&batch) }
    }
  }

  /// - Parameter batch: empty, before and after.
  private func runJobs(_ batch: inout [UnownedJob]) {
    jobs.take(&batch)
    for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
    batch.removeAll(keepingCapacity: true)
  }

  /// What the thread reads into.
  private struct Input: ~Copyable {
    var assembler = FrameAssembler(maximumLength: HubMessage.firstLengthLimit)
    var messages: [HubMessage] = []
    /// The connection's, while there is one. Only the thread opens and closes it.
    var descriptor: Int32 = -1

    /// Reads once and decodes what is whole.
    ///
    /// - Returns: why nothing more will come, or nil.
    mutating func read() -> HubError? {
      var transfer = HubSocket.Transfer.wouldBlock
      let descriptor = self.descriptor
      assembler.fill(room: 1 << 16) { room in
        transfer = HubSocket.receive(from: descriptor, into: room)
        return if case .bytes(let count) = transfer { count } else { 0 }
      }
      var decoded: [HubMessage] = []
      swap(&decoded, &messages)
      var broken: HubError?
      var limit: Int?
      repeat {
        limit = nil
        broken = assembler.drain { frame in
          decoded.append(HubMessage(decoding: frame))
          limit = decoded.last?.newLengthLimit
          return limit == nil
        }
        if let limit { assembler.reader.maximumLength = limit }
      } while limit != nil
      swap(&decoded, &messages)
      if let broken {
        messages.append(.malformed(HubError(.protocolViolation, "the hub sent \(broken.message)")))
      }
      if case .ended = transfer {
        return HubError(.connectionLost, "the hub has closed the connection")
      }
      return nil
    }
  }

  private func read(_ input: inout Input, _ effects: inout Effects) {
    let end = input.read()
    let now = Deadline.now
    let messages = input.messages
    let isLost = state.withLock { state in
      guard state.socket != nil else { return true }
      var error: HubError?
      for message in messages {
        error = state.core.receive(message, now: now, &effects)
        if error != nil { break }
      }
      error = error ?? end
      if let error {
        disconnect(&state)
        state.core.lost(error, now: now, &effects)
        return true
      }
      flush(&state)
      return false
    }
    input.messages.removeAll(keepingCapacity: true)
    if isLost { input = Input() }
  }

  /// Checks time and connection.
  ///
  /// - Returns: when to check again.
  private func tend(_ input: inout Input, _ effects: inout Effects) -> Deadline {
    while true {
      let now = Deadline.now
      let (order, deadline) = state.withLock { state in
        let order = state.core.step(now: now, &effects)
        if case .disconnect = order { disconnect(&state) }
        if state.core.isClosed { disconnect(&state) }
        flush(&state)
        let deadline = state.core.nextDeadline
        state.sleepsUntil = deadline
        return (order, deadline)
      }
      switch order {
      case .none: return deadline
      case .disconnect: input = Input()
      case .connect: connect(&input, &effects)
      }
    }
  }

  private func connect(_ input: inout Input, _ effects: inout Effects) {
    input = Input()
    let now = Deadline.now
    do throws(HubError) {
      let socket = try HubSocket.connect(to: path, deadline: nil)
      let descriptor = socket.descriptor.raw
      poller.add(descriptor)
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
}
