// The input of a driver's thread: bytes from the socket, and the messages in them. It does not interpret them.

internal import HubCore
internal import HubSystem
internal import HubTransport

/// The connection's, while there is one.
struct SocketInput: ~Copyable {
  private var assembler = FrameAssembler(maximumLength: HubMessage.firstLengthLimit)
  /// Only the thread opens and closes it.
  var descriptor: Int32 = -1

  /// Reads once.
  ///
  /// - Returns: why nothing more will arrive, or nil.
  mutating func read() -> HubError? {
    var transfer = Transfer.wouldBlock
    let descriptor = self.descriptor
    assembler.fill(room: 1 << 16) { room in
      transfer = Socket.receive(from: descriptor, into: room)
      return transfer.count ?? 0
    }
    return transfer.count == nil
      ? HubError(.connectionLost, "the hub closed the connection") : nil
  }

  /// The next message that was read; nil if there is none. It is decoded on demand, because a list of messages would
  /// only be copied.
  mutating func next() -> HubMessage? { assembler.nextMessage() }
}
