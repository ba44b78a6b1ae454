// What a driver's thread reads into: bytes from the socket, and the messages in them. It decides nothing about them.

internal import HubCore
internal import HubSystem
internal import HubTransport

/// The connection's, while there is one.
struct SocketInput: ~Copyable {
  var assembler = FrameAssembler(maximumLength: HubMessage.firstLengthLimit)
  var messages: [HubMessage] = []
  /// Only the thread opens and closes it.
  var descriptor: Int32 = -1

  /// Reads once and decodes what is whole.
  ///
  /// - Returns: why nothing more will come, or nil.
  mutating func read() -> HubError? {
    var transfer = Transfer.wouldBlock
    let descriptor = self.descriptor
    assembler.fill(room: 1 << 16) { room in
      transfer = Socket.receive(from: descriptor, into: room)
      return transfer.count ?? 0
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
    if transfer.count == nil {
      return HubError(.connectionLost, "the hub has closed the connection")
    }
    return nil
  }
}
