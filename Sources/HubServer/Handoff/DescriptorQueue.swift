// Descriptors with their numbers, queued in a socket pair: what a hub leaves with its service manager, which then keeps one
// descriptor instead of one per connection.

import CLinux
import Glibc
import HubCore

/// Each message is a list of numbers (`i32`) and as many descriptors. The kernel accepts 253 of them per message, and as
/// many messages as the sender's buffer holds; a full queue is followed by another.
enum DescriptorQueue {
  /// The name under which the service manager keeps it.
  static let name = "handoff"
  private static let perMessage = Int(clinux_descriptors_per_message)

  /// Fills as many queues as needed. The first descriptor comes out first.
  ///
  /// - Returns: the ends to read from, in order. The kernel keeps the content for as long as these are open.
  static func fill(with descriptors: [Int32]) throws(ServerError) -> [Int32] {
    var ends: [Int32] = []
    var writing: Int32 = -1
    defer { if writing >= 0 { close(writing) } }
    var rest = descriptors[...]
    while !rest.isEmpty {
      let message = Array(rest.prefix(perMessage))
      let isNew = writing < 0
      if isNew {
        var pair: [Int32] = [-1, -1]
        if clinux_message_pair(&pair) != 0 { throw failed(ends) }
        writing = pair[0]
        ends.append(pair[1])
      }
      let sent = clinux_send_descriptors(
        writing, message, message.count * 4, message, message.count, Int32(MSG_DONTWAIT))
      if sent >= 0 {
        rest = rest.dropFirst(message.count)
      } else if errno == EAGAIN, !isNew {
        close(writing)
        writing = -1
      } else if errno != EINTR {
        throw failed(ends)
      }
    }
    return ends
  }

  private static func failed(_ ends: [Int32]) -> ServerError {
    let problem = errno
    ends.forEach { close($0) }
    return .system(call: "pass on the hub's connections", code: problem)
  }

  /// Empties a queue whose writers are closed.
  ///
  /// - Returns: each descriptor with its former number, in the order in which they were queued.
  static func drain(_ end: Int32) -> [(was: Int32, descriptor: Int32)] {
    var taken: [(was: Int32, descriptor: Int32)] = []
    var numbers = [Int32](repeating: 0, count: perMessage)
    var descriptors = [Int32](repeating: -1, count: perMessage)
    while true {
      var count = 0
      let length = clinux_receive_descriptors(
        end, &numbers, perMessage * 4, &descriptors, &count, Int32(MSG_DONTWAIT))
      if length < 0, errno == EINTR { continue }
      if length <= 0 { return taken }
      let known = min(count, length / 4)
      for index in 0..<known { taken.append((numbers[index], descriptors[index])) }
      for descriptor in descriptors[known..<count] { close(descriptor) }
    }
  }
}
