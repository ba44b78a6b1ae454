// A blocking connection for programs without an async runtime: requests out, replies and events in, on the caller's
// thread. It never reconnects and starts no thread.

public import HubCore
internal import HubSystem

/// One connection to a hub.
///
/// `hello` is sent together with the first request, so a program with a single request pays for one round trip:
///
///     var hub = try HubConnection(to: .automatic, name: "backup")
///     let reply = try hub.request(.get(.name(StoreName("audio.volume"))))
///
/// Requests can be pipelined: `send` several, then `receive` each by its number. `nextEvent` returns the events of
/// watches, in the hub's order; those that arrive before an awaited reply are kept for it.
///
/// A call ends by its deadline, whatever the hub sends. If the deadline has already passed, the call still takes what
/// has arrived: what was read before, and one more read of at most 64 KiB.
///
/// Use it from one thread at a time, in the process that made it. In a forked child every call fails with `closed`,
/// and the parent's connection is not affected.
public struct HubConnection: ~Copyable {
  private let socket: HubSocket
  private let generation = Fork.generation
  private var output = OutputBuffer(capacity: 512)
  private var assembler = FrameAssembler(maximumLength: HubMessage.firstLengthLimit)
  /// How much the next read takes at least: much while the hub sends much.
  private var room = leastRoom
  private static let leastRoom = 4096
  private static let mostRoom = 1 << 16
  private var lastRequest: UInt32
  /// How many requests were enqueued and have no reply yet.
  private var unanswered = 0
  /// Replies that arrived before they were asked for: at most one for each request that was sent.
  private var replies: [UInt32: Reply] = [:]
  /// Events that arrived before an awaited reply. Beyond the limit the connection fails: a program that watches busy
  /// stores must read events, and to make its requests on another connection.
  private var events: [HubEvent] = []
  private var firstEvent = 0
  /// The length of the frames that contained them.
  private var keptBytes = 0
  /// Why nothing more can be sent or received.
  private var failure: HubError?
  /// Whether the hub has closed the connection. Data that arrived earlier can still be read; it may contain the
  /// reason.
  private var end: HubError?

  /// How long the last frame was.
  private var lastLength = 0

  /// The number of events, of at most 256 MiB in total, that are kept for `nextEvent` while a reply is awaited.
  public static let maximumKeptEvents = 1 << 16

  /// The socket's path.
  public let path: String
  /// How the hub introduced itself, once the first reply has been received.
  public var welcome: Welcome? { introduction?.welcome }

  /// A class, because to replace an optional structure of that size the Swift runtime would first build its type, at
  /// every start of a program that has only one connection.
  private final class Introduction {
    let welcome: Welcome

    init(_ welcome: Welcome) { self.welcome = welcome }
  }

  private var introduction: Introduction?

  /// How long `request`, `receive` and `connect` wait by default.
  public static let defaultPatience = Duration.seconds(5)

  /// Connects. Nothing is sent before the first request.
  ///
  /// - Parameter name: what the hub shows about this client, up to 60 bytes.
  /// - Throws: `HubError`: `noHub`, `denied`, `timeout`.
  public init(
    to path: SocketPath = .automatic, name: String, deadline: Deadline = .after(defaultPatience)
  ) throws(HubError) {
    try self.init(to: path, name: name, deadline: deadline, lastRequest: HubConnection.helloID)
  }

  /// - Parameter lastRequest: the number of the last request, for tests.
  package init(
    to path: SocketPath, name: String, deadline: Deadline = .after(defaultPatience), lastRequest: UInt32
  ) throws(HubError) {
    self.lastRequest = lastRequest
    self.path = path.resolved
    socket = try HubSocket.connect(to: self.path, deadline: deadline)
    Request.hello(name: name).encode(into: &output, id: HubConnection.helloID)
  }

  private static let helloID: UInt32 = 1
  /// The number of an error that answers no request, but concerns the connection.
  private static let connectionID: UInt32 = 0
  /// How much is kept from a hub that sends but does not read; no hub sends that much unasked.
  private static let maximumUnreadBytes = 256 << 20

  /// For callers that wait on several descriptors themselves: readable when a reply or an event may have arrived. The
  /// connection still owns it.
  public var descriptor: Int32 { socket.descriptor.raw }

  // MARK: Requests

  /// Sends a request and waits for its answer.
  ///
  /// - Throws: the hub's own error if it refuses the request or the connection (`quota`: it accepts no more clients);
  ///   `timeout`; `unsupportedVersion`; `connectionLost`, after which it is unknown whether the hub has received the
  ///   request.
  public mutating func request(
    _ request: Request, deadline: Deadline = .after(defaultPatience)
  ) throws(HubError) -> Reply {
    try receive(send(request, deadline: deadline), deadline: deadline)
  }

  /// Sends a request and returns its number, without waiting for the answer.
  ///
  /// - Throws: `timeout` if the hub does not read it in time (part of it may have been sent, so the connection has
  ///   become useless); the reason why the connection failed, if already known; otherwise `receive` throws it.
  @discardableResult
  public mutating func send(
    _ request: Request, deadline: Deadline = .after(defaultPatience)
  ) throws(HubError) -> UInt32 {
    let id = enqueue(request)
    try flush(deadline: deadline)
    return id
  }

  /// Encodes a request after those not sent yet; `flush` or the next `send` sends them all in one write. A watch of
  /// more than 65,535 patterns is not sent: `receive` throws `invalidPattern`.
  public mutating func enqueue(_ request: Request) -> UInt32 {
    // After four billion, the numbers start over. The hub refuses a watch with the number of one that is open.
    lastRequest = lastRequest == .max ? HubConnection.helloID + 1 : lastRequest + 1
    if let objection = request.objection {
      replies[lastRequest] = .error(objection)
      return lastRequest
    }
    unanswered += 1
    request.encode(into: &output, id: lastRequest)
    return lastRequest
  }

  /// Sends what was enqueued. While the hub does not read, this reads what the hub sends, so that two full buffers
  /// cannot wait for each other.
  public mutating func flush(deadline: Deadline = .after(defaultPatience)) throws(HubError) {
    if let failure = failure ?? end { throw failure }
    try checkProcess()
    while !output.isEmpty {
      switch Socket.send(output.view.buffer, to: descriptor) {
      case .bytes(let count): output.dropFirst(count)
      case .ended, .failed:
        // The reader detects it: the hub's last message may explain it.
        output.clear()
      case .wouldBlock:
        guard socket.wait(writable: true, until: deadline), deadline > .now else { throw timeout() }
        guard assembler.pending < HubConnection.maximumUnreadBytes else {
          throw fail(HubError(.closed, "the hub at \(path) keeps sending but accepts no requests"))
        }
        readAvailable()
      }
    }
  }

  /// Waits for the answer to the request with that number.
  ///
  /// - Throws: the same as `request`.
  public mutating func receive(
    _ id: UInt32, deadline: Deadline = .after(defaultPatience)
  ) throws(HubError) -> Reply {
    var patience = Patience(deadline)
    while true {
      let reply = if let kept = takeReply(id) { kept } else { try nextReply(id, &patience) }
      guard let reply else { continue }
      if case .error(let error) = reply { throw error }
      return reply
    }
  }

  private mutating func takeReply(_ id: UInt32) -> Reply? {
    // A program that sends one request at a time has none, and does not hash.
    replies.isEmpty ? nil : replies.removeValue(forKey: id)
  }

  private mutating func nextReply(_ id: UInt32, _ patience: inout Patience) throws(HubError) -> Reply? {
    switch try nextMessage(&patience) {
    case .reply(id, let reply): return reply
    case .reply(let other, let reply):
      replies[other] = reply
      return nil
    case .event(let event):
      keptBytes += lastLength
      guard events.count - firstEvent < HubConnection.maximumKeptEvents,
        keptBytes < HubConnection.maximumUnreadBytes
      else {
        throw fail(
          HubError(.closed, "too many events arrived before a reply: read them, or use another connection"))
      }
      events.append(event)
      return nil
    case .unknownEvent, .malformed: return nil
    }
  }

  // MARK: Events

  /// Waits for the next event of this connection's watches. If the deadline has passed, it takes what has already
  /// arrived.
  ///
  /// - Throws: `timeout`; `shuttingDown` or `notReading` if the hub has ended the connection for that reason;
  ///   `connectionLost`.
  public mutating func nextEvent(deadline: Deadline = .never) throws(HubError) -> HubEvent {
    if firstEvent < events.count {
      defer { firstEvent += 1 }
      return events[firstEvent]
    }
    events.removeAll(keepingCapacity: true)
    firstEvent = 0
    keptBytes = 0
    var patience = Patience(deadline)
    while true {
      switch try nextMessage(&patience) {
      case .event(let event): return event
      case .reply(let id, let reply): replies[id] = reply
      case .unknownEvent, .malformed: break
      }
    }
  }

  /// Drops the events that arrived before the last reply that was received: those of watches that another one replaces.
  package mutating func dropKeptEvents() {
    events.removeAll(keepingCapacity: true)
    firstEvent = 0
    keptBytes = 0
  }

  // MARK: Ending

  /// Ends the connection, even for other processes that have its descriptor, and waits until the hub has ended it and
  /// everything that depends on it. Data that arrives in the meantime is lost.
  package consuming func finish(deadline: Deadline = .after(defaultPatience)) {
    if generation != Fork.generation { return }
    Socket.endSending(descriptor)
    while end == nil, socket.wait(writable: false, until: deadline) { readAvailable() }
    Socket.end(descriptor)
  }

  // MARK: Reading

  /// The limit of one call. A hub that never stops sending other things must not delay the caller.
  private struct Patience {
    let deadline: Deadline
    private var hasReadLate = false

    init(_ deadline: Deadline) { self.deadline = deadline }

    /// Whether to read again: any number of times before the deadline, once after it.
    mutating func allowsRead() -> Bool {
      if hasReadLate { return false }
      if deadline != .never { hasReadLate = deadline <= .now }
      return true
    }
  }

  private mutating func nextMessage(_ patience: inout Patience) throws(HubError) -> HubMessage {
    if let failure { throw failure }
    try checkProcess()
    if end == nil { try flush(deadline: patience.deadline) }
    while true {
      if let message = try takeMessage() { return message }
      if let end { throw end }
      guard socket.wait(writable: false, until: patience.deadline), patience.allowsRead() else {
        throw timeout()
      }
      readAvailable()
    }
  }

  /// Reads once. The end of the stream is reported after everything that came before it.
  private mutating func readAvailable() {
    var transfer = Transfer.wouldBlock
    let descriptor = self.descriptor
    var isFull = false
    assembler.fill(room: room) { room in
      transfer = Socket.receive(from: descriptor, into: room)
      guard case .bytes(let count) = transfer else { return 0 }
      isFull = count == room.count
      return count
    }
    room = isFull ? HubConnection.mostRoom : HubConnection.leastRoom
    if transfer.count == nil { end = end ?? lost() }
  }

  private mutating func takeMessage() throws(HubError) -> HubMessage? {
    while let frame = try nextFrame() {
      lastLength = frame.bytes.count
      let message = HubMessage(decoding: frame)
      switch message {
      case .unknownEvent: continue
      case .malformed(let error): throw fail(error)
      case .event(.ended(let reason, let message)): throw fail(HubError(ended: reason, message))
      case .reply(HubConnection.helloID, let reply): try greet(reply)
      case .reply(HubConnection.connectionID, .error(let error)): throw fail(error)
      case .reply(let id, _):
        guard unanswered > 0, id != HubConnection.connectionID else {
          throw fail(HubError(.protocolViolation, "the hub sent a reply without a request"))
        }
        unanswered -= 1
        return message
      case .event: return message
      }
    }
    return nil
  }

  private mutating func nextFrame() throws(HubError) -> FrameView? {
    do throws(HubError) {
      return try assembler.next()
    } catch {
      throw fail(HubError(.protocolViolation, "the hub sent \(error.message)"))
    }
  }

  private mutating func greet(_ reply: Reply) throws(HubError) {
    switch reply {
    case .welcome(let welcome):
      introduction = Introduction(welcome)
      assembler.reader.maximumLength = HubMessage.lengthLimit(welcome)
    case .error(let error): throw fail(error)
    default: throw fail(HubError(.protocolViolation, "the hub did not send welcome"))
    }
  }

  // MARK: Failing

  private mutating func checkProcess() throws(HubError) {
    if generation != Fork.generation { throw fail(HubSocket.belongsToParent("the connection to \(path)")) }
  }

  private mutating func fail(_ error: HubError) -> HubError {
    failure = error
    return error
  }

  private func lost() -> HubError {
    HubError(.connectionLost, "the hub at \(path) closed the connection")
  }

  private func timeout() -> HubError {
    HubError(.timeout, "the hub at \(path) did not answer in time\(SocketPath.silence(at: path))")
  }
}
