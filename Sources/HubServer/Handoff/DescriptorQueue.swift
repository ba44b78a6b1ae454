// Descriptors with their numbers, queued in a socket pair: stored with the service manager, which then keeps one descriptor instead of one per
// connection.

import HubCore
import HubSystem

/// Each message is a list of numbers (`i32`) and as many descriptors. The kernel accepts 253 of them per message, and as
/// many messages as the sender's buffer holds; a full queue is followed by another.
enum DescriptorQueue {
  /// The name under which the service manager keeps it.
  static let name = "handoff"
  private static let numberLength = MemoryLayout<Int32>.size

  /// Fills as many queues as needed. The first descriptor comes out first.
  ///
  /// - Returns: the ends to read from, in order. The kernel keeps the content for as long as these are open.
  static func fill(with descriptors: [Int32]) throws(ServerError) -> [Int32] {
    var ends: [Int32] = []
    var rest = descriptors[...]
    do throws(SystemError) {
      while !rest.isEmpty {
        let (writing, reading) = try Socket.pair(keepsMessages: true)
        ends.append(reading)
        let queue = Descriptor(adopting: writing)
        rest = rest.dropFirst(try put(rest, into: queue.raw))
      }
      return ends
    } catch {
      ends.forEach { Descriptor.close($0) }
      throw .system(call: "pass on the hub's connections", code: error.code)
    }
  }

  /// - Returns: how many of them the queue has taken, at least one.
  private static func put(_ descriptors: ArraySlice<Int32>, into queue: Int32) throws(SystemError) -> Int {
    var count = 0
    while count < descriptors.count {
      let message = Array(descriptors.dropFirst(count).prefix(DescriptorPassing.mostPerMessage))
      let problem = message.withUnsafeBytes {
        DescriptorPassing.send($0, message, over: queue)
      }
      if let problem {
        if problem == .wouldBlock, count > 0 { break }
        throw problem
      }
      count += message.count
    }
    return count
  }

  /// Empties a queue whose writers are closed.
  ///
  /// - Returns: each descriptor with its former number, in the order in which they were queued.
  static func drain(_ end: Int32) -> [(was: Int32, descriptor: Int32)] {
    var taken: [(was: Int32, descriptor: Int32)] = []
    let limit = DescriptorPassing.mostPerMessage * numberLength
    while let message = DescriptorPassing.receive(from: end, limit: limit) {
      let known = min(message.descriptors.count, message.bytes.count / numberLength)
      message.bytes.withUnsafeBytes { bytes in
        for index in 0..<known {
          let number = bytes.loadUnaligned(fromByteOffset: index * numberLength, as: Int32.self)
          taken.append((number, message.descriptors[index]))
        }
      }
      for descriptor in message.descriptors[known...] { Descriptor.close(descriptor) }
    }
    return taken
  }
}
