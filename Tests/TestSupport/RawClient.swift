// A client that speaks frames and nothing more: what it sends can be wrong to the byte, and what it reads is what came.

import CLinux
import Glibc
public import HubCore

/// One blocking connection. Every wait is bounded by `patience`.
public final class RawClient {
  /// What the hub sends.
  public enum Message: Hashable, Sendable {
    case reply(UInt32, Reply)
    case event(HubEvent)
  }

  public let descriptor: Int32
  /// How long a single read or write may take, in seconds.
  public var patience = longestWait
  private var assembler = FrameAssembler(maximumLength: .max)
  private var lastRequest: UInt32 = 0
  private var messages: [Message] = []
  private var isOpen = true
  /// How the hub introduced itself, after `hello`.
  public private(set) var welcome: Welcome?

  /// Connects, and sends nothing.
  public init(to path: String) throws {
    guard let socket = RawClient.connectedSocket(to: path) else {
      throw TestFailure("cannot connect to \(path): \(String(cString: strerror(errno)))")
    }
    descriptor = socket
  }

  /// Takes over a socket that is connected.
  public init(connected socket: Int32) { descriptor = socket }

  deinit { close() }

  /// A connected socket's descriptor, or nil with `errno`.
  public static func connectedSocket(to path: String) -> Int32? {
    let socket = clinux_unix_stream()
    var path = path
    let result = path.withUTF8 { clinux_connect_unix(socket, $0.baseAddress, $0.count) }
    if result == 0 { return socket }
    let problem = errno
    Glibc.close(socket)
    errno = problem
    return nil
  }

  /// Connects as another user. Only root can.
  public convenience init(to path: String, as user: UInt32) throws {
    guard clinux_set_thread_user(user) == 0 else { throw TestFailure("setresuid: \(errno)") }
    let socket = RawClient.connectedSocket(to: path)
    guard clinux_set_thread_user(0) == 0 else { fatalError("cannot be root again") }
    guard let socket else { throw TestFailure("cannot connect to \(path) as \(user)") }
    self.init(connected: socket)
  }

  /// Connects as another user with groups. Only root can.
  public convenience init(to path: String, as user: UInt32, group: UInt32, groups: [UInt32]) throws {
    guard clinux_set_thread_groups(group, groups, groups.count) == 0 else {
      throw TestFailure("setgroups: \(errno)")
    }
    defer {
      guard clinux_set_thread_groups(0, [0], 1) == 0 else { fatalError("cannot have root's group again") }
    }
    try self.init(to: path, as: user)
  }

  public func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(descriptor)
  }

  /// Says that nothing more will be sent; reading goes on.
  public func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  // MARK: Sending

  /// The bytes of a request's frame.
  public static func bytes(_ request: Request, id: UInt32) -> [UInt8] {
    var out = OutputBuffer()
    request.encode(into: &out, id: id)
    return out.array
  }

  @discardableResult
  public func hello(name: String = "test") throws -> Welcome {
    guard case .welcome(let welcome) = try call(.hello(name: name)) else {
      throw TestFailure("the hub did not answer hello with welcome")
    }
    self.welcome = welcome
    return welcome
  }

  /// Sends a request and returns its number.
  @discardableResult
  public func send(_ request: Request) throws -> UInt32 {
    lastRequest += 1
    try send(bytes: RawClient.bytes(request, id: lastRequest))
    return lastRequest
  }

  /// Sends any bytes, all of them.
  public func send(bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      try wait(for: POLLOUT, "take \(bytes.count - sent) bytes")
      let count = bytes.withUnsafeBytes {
        clinux_send(descriptor, $0.baseAddress! + sent, bytes.count - sent)
      }
      if count > 0 {
        sent += count
      } else if errno != EAGAIN, errno != EINTR {
        throw TestFailure("send: \(String(cString: strerror(errno)))")
      }
    }
  }

  // MARK: Receiving

  /// The next message in the hub's order; nil at a clean end of the stream.
  public func next() throws -> Message? {
    if !messages.isEmpty { return messages.removeFirst() }
    return try nextFromStream()
  }

  /// Sends a request and waits for its reply. Whatever comes before it is kept for `next`.
  public func call(_ request: Request) throws -> Reply {
    try reply(to: send(request))
  }

  /// The reply to a request that was sent.
  public func reply(to request: UInt32) throws -> Reply {
    for (index, message) in messages.enumerated() {
      if case .reply(request, let reply) = message {
        messages.remove(at: index)
        return reply
      }
    }
    while let message = try nextFromStream() {
      if case .reply(request, let reply) = message { return reply }
      messages.append(message)
    }
    throw TestFailure("the connection ended before the reply to request \(request)")
  }

  /// The next event; replies before it are skipped.
  public func nextEvent() throws -> HubEvent {
    while let message = try next() {
      if case .event(let event) = message { return event }
    }
    throw TestFailure("the connection ended where an event was expected")
  }

  /// The events up to the next `synced`, which is the last of them.
  public func eventsUntilSynced() throws -> [HubEvent] {
    var events: [HubEvent] = []
    while true {
      let event = try nextEvent()
      events.append(event)
      if case .synced = event { return events }
    }
  }

  /// Everything up to a clean end of the stream.
  ///
  /// - Throws: `TestFailure` if the stream ends in the middle of a frame, or with an error.
  public func messagesUntilEnd() throws -> [Message] {
    var all: [Message] = []
    while let message = try next() { all.append(message) }
    return all
  }

  private func nextFromStream() throws -> Message? {
    while true {
      var message: Message?
      var problem: HubError?
      let broken = assembler.drain { frame in
        do throws(HubError) {
          message =
            frame.kind?.isEvent == true
            ? .event(try HubEvent(decoding: frame)) : .reply(frame.request, try Reply(decoding: frame))
        } catch {
          problem = error
        }
        return false
      }
      if let problem = broken ?? problem { throw TestFailure("the hub sent a bad frame: \(problem)") }
      if let message { return message }
      try wait(for: POLLIN, "send anything")
      var count = 0
      assembler.fill(room: 65_536) {
        count = recv(descriptor, $0.baseAddress!, $0.count, 0)
        return max(0, count)
      }
      if count < 0, errno != EINTR { throw TestFailure("recv: \(String(cString: strerror(errno)))") }
      if count == 0 {
        if assembler.pending > 0 { throw TestFailure("the stream ended within a frame") }
        return nil
      }
    }
  }

  private func wait(for event: Int32, _ what: String) throws {
    var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    while true {
      let result = poll(&waiting, 1, Int32(patience * 1000))
      if result > 0 { return }
      if result < 0, errno == EINTR { continue }
      throw TestFailure("the hub did not \(what) within \(patience) s")
    }
  }
}
