// A service manager for tests: it listens to notifications, keeps descriptors, and passes them to the processes that it starts.

import CLinux
import Glibc
import Synchronization

/// The documented protocol of systemd, no more. Notifications are read by whoever calls `wait`, on that thread.
public final class FakeServiceManager: Sendable {
  /// What a process said in one datagram.
  public struct Notification: Sendable {
    public let assignments: [String]

    public func value(_ name: String) -> String? {
      assignments.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
  }

  /// `$NOTIFY_SOCKET`.
  public let address: String
  private let socket: Int32
  private let state = Mutex(State())

  private struct State {
    var sockets: [(name: String, descriptor: Int32)] = []
    var stored: [(name: String, descriptor: Int32)] = []
    var notifications: [Notification] = []
  }

  public init(in directory: TemporaryDirectory) throws {
    address = directory.file("notify.sock")
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var path = address
    guard path.withUTF8({ clinux_bind_unix(socket, $0.baseAddress, $0.count) }) == 0 else {
      throw TestFailure("cannot bind \(address)")
    }
  }

  deinit {
    state.withLock { state in (state.sockets + state.stored).forEach { close($0.descriptor) } }
    close(socket)
  }

  /// Listens at a path on behalf of the processes that will be started.
  public func listen(at path: String, name: String) throws {
    let listener = clinux_unix_stream_nonblocking()
    var bytes = path
    guard bytes.withUTF8({ clinux_bind_unix(listener, $0.baseAddress, $0.count) }) == 0,
      Glibc.listen(listener, 4096) == 0
    else { throw TestFailure("cannot listen at \(path)") }
    pass(listener, name: name)
  }

  /// Passes a descriptor, which is the manager's from now on, to every process that it starts.
  public func pass(_ descriptor: Int32, name: String) {
    state.withLock { $0.sockets.append((name, descriptor)) }
  }

  /// Starts a process that gets sockets and stored descriptors. What is stored stays so, until the process has it removed.
  public func start(
    _ program: String, _ arguments: [String], environment: [String: String?], directory: TemporaryDirectory
  ) throws -> ChildProcess {
    let passed = state.withLock { $0.sockets + $0.stored }
    var variables = environment
    variables["NOTIFY_SOCKET"] = address
    guard !passed.isEmpty else {
      return try ChildProcess(program, arguments, environment: variables, directory: directory)
    }
    variables["LISTEN_FDS"] = "\(passed.count)"
    variables["LISTEN_FDNAMES"] = passed.map(\.name).joined(separator: ":")
    // Only the process itself knows its number.
    return try ChildProcess(
      "/bin/sh", ["-c", "LISTEN_PID=$$ exec \"$0\" \"$@\"", program] + arguments, environment: variables,
      descriptors: passed.map(\.descriptor), directory: directory)
  }

  /// Closes what is kept, as at the end of a unit that is stopped.
  public func dropStored() {
    state.withLock { state in
      state.stored.forEach { close($0.descriptor) }
      state.stored = []
    }
  }

  /// Takes everything out of the queues that are kept, as a process does that dies afterwards.
  public func emptyStored() {
    for entry in state.withLock({ $0.stored }) {
      var bytes = [UInt8](repeating: 0, count: 8192)
      var descriptors = [Int32](repeating: -1, count: 253)
      var count = 0
      while clinux_receive_descriptors(
        entry.descriptor, &bytes, bytes.count, &descriptors, &count, Int32(MSG_DONTWAIT)) > 0
      {
        descriptors.prefix(count).forEach { close($0) }
      }
    }
  }

  /// How many descriptors are kept.
  public var storedCount: Int {
    while receive(milliseconds: 0) {}
    return state.withLock { $0.stored.count }
  }

  /// How much was said that the manager has not taken yet.
  public var unreadBytes: Int {
    var count: Int32 = 0
    return ioctl(socket, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Everything that was said so far and not yet taken, oldest first.
  public func takeNotifications() -> [Notification] {
    while receive(milliseconds: 0) {}
    return state.withLock { state in
      defer { state.notifications = [] }
      return state.notifications
    }
  }

  /// Waits until something is said that satisfies the condition; what was said before it is dropped.
  @discardableResult
  public func wait(
    for what: String, atMost seconds: Int32 = Int32(longestWait), _ isWanted: (Notification) -> Bool
  ) throws -> Notification {
    let deadline = monotonicMilliseconds() + Int64(seconds) * 1000
    while true {
      let found = state.withLock { state -> Notification? in
        guard let index = state.notifications.firstIndex(where: isWanted) else {
          state.notifications = []
          return nil
        }
        defer { state.notifications.removeSubrange(...index) }
        return state.notifications[index]
      }
      if let found { return found }
      let rest = deadline - monotonicMilliseconds()
      guard rest > 0, receive(milliseconds: Int32(rest)) else {
        throw TestFailure("the service manager was not told: \(what)")
      }
    }
  }

  @discardableResult
  public func waitUntilReady() throws -> Notification {
    try wait(for: "READY=1") { $0.value("READY") == "1" }
  }

  /// Reads notifications until the process has ended: it may wait for an answer to one before.
  public func waitForEnd(of process: ChildProcess) throws -> ChildProcess.Exit {
    for _ in 0..<longestLooks {
      _ = receive(milliseconds: 0)
      if let exit = process.poll(milliseconds: 2) { return exit }
    }
    throw TestFailure("process \(process.pid) did not end; its errors: \(process.standardError)")
  }

  /// Takes one datagram, as a service manager does.
  private func receive(milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, milliseconds) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 8192)
    var descriptors = [Int32](repeating: -1, count: 253)
    var count = 0
    let length = clinux_receive_descriptors(
      socket, &bytes, bytes.count, &descriptors, &count, Int32(MSG_DONTWAIT))
    guard length > 0 else { return false }
    let lines = String(decoding: bytes.prefix(length), as: UTF8.self).split(separator: "\n").map(String.init)
    let notification = Notification(assignments: lines)
    let name = notification.value("FDNAME") ?? "stored"
    let passed = descriptors.prefix(count)
    state.withLock { state in
      if notification.value("FDSTORE") == "1" {
        state.stored += passed.map { (name, fcntl($0, F_DUPFD_CLOEXEC, 3)) }
      }
      if notification.value("FDSTOREREMOVE") == "1" {
        for entry in state.stored where entry.name == name { close(entry.descriptor) }
        state.stored.removeAll { $0.name == name }
      }
      state.notifications.append(notification)
    }
    passed.forEach { close($0) }
    return true
  }

  private func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
