// Descriptors in messages between processes.

internal import CLinux
internal import Glibc

package enum DescriptorPassing {
  /// The kernel takes no more descriptors in one message.
  package static let mostPerMessage = Int(clinux_descriptors_per_message)

  /// A message that has arrived.
  package struct Message {
    package var bytes: [UInt8]
    /// They live on across exec. The caller closes them.
    package var descriptors: [Int32]
  }

  /// Sends one message, with copies of the descriptors.
  ///
  /// - Returns: why it was not sent: `wouldBlock` if it would have to wait.
  package static func send(
    _ bytes: UnsafeRawBufferPointer, _ descriptors: [Int32], over socket: Int32
  ) -> SystemError? {
    while true {
      let sent = clinux_send_descriptors(
        socket, bytes.baseAddress, bytes.count, descriptors, descriptors.count, Int32(MSG_DONTWAIT))
      if sent >= 0 { return nil }
      if errno != EINTR { return .last }
    }
  }

  /// Takes the next message of at most `limit` bytes.
  ///
  /// - Returns: nil if there is none.
  package static func receive(from socket: Int32, limit: Int) -> Message? {
    var bytes = [UInt8](repeating: 0, count: limit)
    var descriptors = [Int32](repeating: -1, count: mostPerMessage)
    while true {
      var count = 0
      let length = clinux_receive_descriptors(
        socket, &bytes, limit, &descriptors, &count, Int32(MSG_DONTWAIT))
      if length < 0, errno == EINTR { continue }
      if length <= 0 { return nil }
      return Message(bytes: Array(bytes.prefix(length)), descriptors: Array(descriptors.prefix(count)))
    }
  }
}
