// A Hub whose bytes the program carries: what it orders, when it rings, and that everything happens within `process`.

import CLinux
import Dispatch
import Glibc
import HubClient
import HubTransport
import Synchronization
import TestSupport
import Testing

@Suite("A Hub whose bytes the program carries", .blocking)
struct CarriedHubTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("follows and writes on the loop's thread alone")
  func thread() throws {
    let process = try HubProcess(in: directory)
    let loop = Loop(process.socket)
    let number = loop.hub.value("number", of: Int.self)
    let seen = Mutex((values: [Int](), threads: Set<UInt>()))
    Task(executorPreference: loop.hub.executor) {
      try await number.set(0)
      for try await value in number.values {
        seen.withLock {
          $0.values.append(value)
          $0.threads.insert(UInt(pthread_self()))
        }
        if value == 100 { return }
        try await number.add(1)
      }
    }
    loop.run { seen.withLock { $0.values.last == 100 } }
    #expect(seen.withLock { $0.values } == Array(0...100))
    #expect(seen.withLock { $0.threads } == [UInt(pthread_self())])
    withExtendedLifetime(process) {}
  }

  @Test("carries a value of a megabyte both ways, in pieces")
  func large() throws {
    let process = try HubProcess(in: directory)
    let loop = Loop(process.socket)
    let text = loop.hub.value("text", of: String.self)
    let long = String(repeating: "x", count: 1_000_000)
    let values = text.values.makeAsyncIterator()
    let isSet = Atomic(false)
    Task(executorPreference: loop.hub.executor) {
      try await text.set(long)
      isSet.store(true, ordering: .relaxed)
    }
    loop.run { isSet.load(ordering: .relaxed) && text.cached == long }
    withExtendedLifetime((process, values)) {}
  }

  @Test("finds a hub that was killed and started again, and resumes")
  func restart() async throws {
    var process = try HubProcess(in: directory)
    let loop = Loop(process.socket)
    let number = loop.hub.value("number", of: Int.self)
    let values = number.values.makeAsyncIterator()
    loop.run { loop.hub.status.isConnected }
    process.kill()
    loop.run { loop.hub.status.error?.code == .noHub }
    process = try HubProcess(in: directory)
    try await process.hub().value("number").set(7)
    loop.run { number.cached == 7 }
    withExtendedLifetime((process, values)) {}
  }

  @Test("rings once for what other threads ask, until it is processed")
  func rings() {
    let (carried, bells) = unreached()
    #expect(isOver(carried.process()))
    #expect(bells.count == 0)
    let first = carried.hub.value("a", of: Int.self).values.makeAsyncIterator()
    let second = carried.hub.value("b", of: Int.self).values.makeAsyncIterator()
    #expect(bells.count == 1)
    #expect(carried.process().action == .connect)
    #expect(carried.process().action == .none)
    #expect(carried.takeOutput() == nil)
    #expect(bells.count == 1)
    withExtendedLifetime((first, second)) {}
  }

  @Test("does not ring for what its own tasks do, nor after something was handed in")
  func silence() {
    let (carried, bells) = unreached()
    let number = carried.hub.value("a", of: Int.self)
    let task = Task(executorPreference: carried.hub.executor) {
      await failure { try await number.set(1) }?.code
    }
    #expect(bells.count == 1)
    #expect(carried.process().action == .connect)
    carried.connected()
    _ = carried.process()
    #expect(carried.takeOutput() != nil)
    carried.disconnected()
    _ = carried.process()
    #expect(bells.count == 1)
    // Whatever comes from elsewhere is heard again.
    carried.hub.close()
    #expect(bells.count == 2)
    withExtendedLifetime(task) {}
  }

  @Test("does in the same pass what another thread asks meanwhile")
  func meanwhile() {
    let (carried, bells) = unreached()
    let iterator = Mutex<Any?>(nil)
    Task(executorPreference: carried.hub.executor) { [hub = carried.hub] in
      onAnotherThread { iterator.withLock { $0 = hub.value("a", of: Int.self).values.makeAsyncIterator() } }
    }
    #expect(carried.process().action == .connect)
    #expect(bells.count == 1)
  }

  @Test("rings for tasks that never rest, and does not keep the loop for them")
  func bounded() {
    let (carried, bells) = unreached()
    let rounds = Atomic(0)
    let task = Task(executorPreference: carried.hub.executor) {
      while !Task.isCancelled {
        rounds.add(1, ordering: .relaxed)
        await Task.yield()
      }
    }
    for count in 2...10 {
      #expect(carried.process().deadline <= .now)
      #expect(bells.count == count)
    }
    #expect(rounds.load(ordering: .relaxed) >= 9)
    task.cancel()
    while carried.process().deadline < .never {}
  }

  @Test("orders to disconnect from a peer that speaks something else, and tries again later")
  func garbage() {
    let (carried, _) = unreached()
    let values = carried.hub.value("a", of: Int.self).values.makeAsyncIterator()
    #expect(carried.process().action == .connect)
    carried.connected()
    #expect(carried.takeOutput() != nil)
    receiveJunk(carried)
    #expect(carried.process().action == .disconnect)
    // What still comes from there, and that it ends, counts no more.
    receiveJunk(carried)
    carried.disconnected()
    let turn = carried.process()
    #expect(turn.action == .none && turn.deadline < .never)
    #expect(carried.takeOutput() == nil)
    #expect(carried.hub.status.error?.code == .protocolViolation)
    wait(until: turn.deadline)
    #expect(carried.process().action == .connect)
    withExtendedLifetime(values) {}
  }

  @Test("orders to connect after it has ordered to disconnect, though both are due at once")
  func both() {
    let (carried, _) = unreached()
    let number = carried.hub.value("a", of: Int.self)
    let task = Task(executorPreference: carried.hub.executor) {
      await failure { try await number.set(1) }?.code
    }
    #expect(carried.process().action == .connect)
    carried.connected()
    #expect(carried.takeOutput() != nil)
    // Nothing is left that wants a connection: the next request wants one at once.
    receiveJunk(carried)
    let values = number.values.makeAsyncIterator()
    #expect(carried.process().action == .disconnect)
    #expect(carried.process().action == .connect)
    withExtendedLifetime((task, values)) {}
  }

  @Test("orders to disconnect when it is closed, also while it connects")
  func closed() {
    for isConnected in [true, false] {
      let (carried, _) = unreached()
      let values = carried.hub.value("a", of: Int.self).values.makeAsyncIterator()
      #expect(carried.process().action == .connect)
      if isConnected { carried.connected() }
      carried.hub.close()
      if !isConnected { carried.connected() }
      #expect(carried.process().action == .disconnect)
      #expect(isOver(carried.process()))
      withExtendedLifetime(values) {}
    }
  }

  @Test("says what it means that there is no connection")
  func errors() {
    for (number, code) in [(ENOENT, HubError.Code.noHub), (EACCES, .denied), (EAGAIN, .timeout)] {
      let (carried, _) = unreached()
      let values = carried.hub.value("a", of: Int.self).values.makeAsyncIterator()
      #expect(carried.process().action == .connect)
      carried.connectFailed(errno: number)
      #expect(carried.hub.status.error?.code == code)
      #expect(carried.process().deadline < .never)
      withExtendedLifetime(values) {}
    }
  }

  @Test("that is released closes its Hub, and its tasks come to their end, also those that have not begun")
  func released() async {
    for hasBegun in [true, false] {
      var (carried, bells): (CarriedHub?, Bells) = unreached()
      let hub = carried?.hub
      let task = Task(executorPreference: hub?.executor) {
        await failure { for try await _ in hub!.value("a", of: Int.self).values {} }?.code
      }
      if hasBegun { _ = carried?.process() }
      carried = nil
      #expect(await task.value == .closed)
      #expect(hub?.status == .closed)
      #expect(bells.count == 1)
    }
  }

  // MARK: Helpers

  /// How often the bell has rung.
  private final class Bells: Sendable {
    private let rung = Atomic(0)
    var count: Int { rung.load(ordering: .sequentiallyConsistent) }
    func ring() { rung.add(1, ordering: .sequentiallyConsistent) }
  }

  /// One that only the test connects.
  private func unreached() -> (CarriedHub, Bells) {
    let bells = Bells()
    return (CarriedHub(.explicit("/nowhere")) { bells.ring() }, bells)
  }

  /// Nothing is to be done, ever.
  private func isOver(_ turn: CarriedHub.Turn) -> Bool { turn.action == .none && turn.deadline == .never }

  private func receiveJunk(_ carried: CarriedHub) {
    [UInt8](repeating: 0xFF, count: 64).withUnsafeBytes { carried.received($0) }
  }
}

/// Waits for it.
private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let thread = DispatchQueue(label: "another")
  let isDone = DispatchSemaphore(value: 0)
  thread.async {
    body()
    isDone.signal()
  }
  isDone.wait()
}

private func wait(until deadline: Deadline, for entries: inout [pollfd]) {
  let left = Deadline.now.duration(to: deadline) / .milliseconds(1)
  poll(&entries, nfds_t(entries.count), deadline == .never ? -1 : Int32(min(left, 1e6)) + 1)
}

private func wait(until deadline: Deadline) {
  var nothing: [pollfd] = []
  wait(until: deadline, for: &nothing)
}

/// The least event loop: a socket, a bell that is a pipe, and poll(2).
private final class Loop {
  let carried: CarriedHub
  var hub: Hub { carried.hub }
  private let bell: [Int32]
  private var connection: Int32 = -1
  private var unsent: [UInt8] = []

  init(_ path: String) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    bell = ends
    carried = CarriedHub(.explicit(path)) { [end = ends[1]] in _ = write(end, "!", 1) }
  }

  deinit {
    // From here on it does not ring.
    hub.close()
    for descriptor in bell + [connection] where descriptor >= 0 { close(descriptor) }
  }

  func run(until isSo: () -> Bool) {
    while true {
      let deadline = carry()
      if isSo() { return }
      wait(until: deadline)
    }
  }

  private func carry() -> Deadline {
    while true {
      let turn = carried.process()
      switch turn.action {
      case .connect: connect()
      case .disconnect: end()
      case .none:
        send()
        return turn.deadline
      }
    }
  }

  private func wait(until deadline: Deadline) {
    var entries = [
      pollfd(fd: bell[0], events: Int16(POLLIN), revents: 0),
      pollfd(fd: connection, events: Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0),
    ]
    HubClientTests.wait(until: deadline, for: &entries)
    var bytes = [UInt8](repeating: 0, count: 4096)
    if entries[0].revents != 0 { _ = read(bell[0], &bytes, bytes.count) }
    guard entries[1].revents != 0, connection >= 0 else { return }
    let count = recv(connection, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      bytes.withUnsafeBytes { carried.received(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    } else if count == 0 || errno != EAGAIN {
      end()
      carried.disconnected()
    }
  }

  private func connect() {
    connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: carried.path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result == 0 { return carried.connected() }
    let error = errno
    end()
    carried.connectFailed(errno: error)
  }

  private func end() {
    if connection >= 0 { close(connection) }
    connection = -1
    unsent = []
  }

  private func send() {
    while connection >= 0 {
      if unsent.isEmpty, let bytes = carried.takeOutput() { unsent = bytes }
      if unsent.isEmpty { return }
      let count = Glibc.send(connection, unsent, unsent.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      if count <= 0 { return }
      unsent.removeFirst(count)
    }
  }
}
