// A connection of `statectl bench`: it counts replies, or events of a store, without decoding them.

internal import HubCore
internal import HubSystem
internal import HubTransport

final class BenchLink {
  private let socket: HubSocket
  private var output = OutputBuffer()
  private var assembler = FrameAssembler(maximumLength: HubMessage.firstLengthLimit)
  private let watches: Bool
  /// The newest version received, if it watches.
  private var seen: UInt64?
  /// How many replies, or versions of the store, are still expected.
  private(set) var pending = 0
  private(set) var skipped: UInt64 = 0
  private var sent = Deadline.never

  private static let hello: UInt32 = 1
  private static let room = 1 << 16

  init(to place: SocketPath, watches: Bool, until deadline: Deadline) throws(HubError) {
    socket = try HubSocket.connect(
      to: place.resolved, deadline: min(deadline, .after(HubConnection.defaultPatience)))
    self.watches = watches
    Request.hello(name: "statectl bench").encode(into: &output, id: BenchLink.hello)
  }

  var descriptor: Int32 { socket.descriptor.raw }

  /// What to wait for.
  var purpose: Poll.Purpose { output.isEmpty ? .reading : .readingOrWriting }

  /// Sends requests with so many expected replies.
  func begin(_ frames: ArraySlice<UInt8>, count: Int) throws(HubError) {
    output.append(frames)
    expect(count, since: .now)
    try flush()
  }

  /// Expects that many more replies or versions.
  func expect(_ count: Int, since sent: Deadline) {
    pending += count
    self.sent = sent
  }

  func flush() throws(HubError) {
    while !output.isEmpty {
      switch Socket.send(output.view.buffer, to: descriptor) {
      case .bytes(let count): output.dropFirst(count)
      case .wouldBlock: return
      // The hub may have sent the reason.
      case .ended, .failed: return output.clear()
      }
    }
  }

  /// Takes only what has already arrived.
  ///
  /// - Returns: how many answers or versions that were.
  func receive(_ times: inout BenchTimes) throws(HubError) -> Int {
    var transfer = Transfer.wouldBlock
    let descriptor = descriptor
    assembler.fill(room: BenchLink.room) { room in
      transfer = Socket.receive(from: descriptor, into: room)
      return transfer.count ?? 0
    }
    let now = Deadline.now
    var count = 0
    while let frame = try assembler.next() { count += try take(frame) }
    guard transfer.count != nil else {
      throw HubError(.connectionLost, "the hub closed the connection")
    }
    pending -= count
    if count > 0 { times.add(now.nanoseconds - sent.nanoseconds, count: count) }
    return count
  }

  private func take(_ frame: FrameView) throws(HubError) -> Int {
    if Frame.isEvent(frame.rawKind) {
      if case .ended(let reason, let message)? = try? HubEvent(decoding: frame) {
        throw HubError(ended: reason, message)
      }
      guard let version = EventLayout.version(of: frame) else { return 0 }
      let before = seen
      seen = version
      guard let before else { return 1 }
      skipped += version - before - 1
      return Int(version - before)
    }
    if frame.rawKind == ReplyKind.error.rawValue, case .error(let error) = try Reply(decoding: frame) {
      throw error
    }
    guard frame.request == BenchLink.hello else { return watches ? 0 : 1 }
    if let limit = HubMessage(decoding: frame).newLengthLimit { assembler.reader.maximumLength = limit }
    return 0
  }
}
