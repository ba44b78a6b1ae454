// Bytes that come with something else: descriptors, urgent data. Every request is answered, and nothing is kept.

import CLinux
import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Descriptors and urgent data beside the bytes", .blocking)
struct AncillaryTests {
  private let directory: TemporaryDirectory
  private let hub: HubProcess
  private let client: RawClient
  /// The descriptors that the hub has with this one client.
  private let own: Int

  init() throws {
    directory = try TemporaryDirectory()
    hub = try HubProcess(in: directory)
    client = try hub.connect()
    _ = try client.call(.ping)
    own = hub.process.descriptorCount
  }

  private func ping(_ id: UInt32) -> [UInt8] { RawClient.bytes(.ping, id: id) }

  /// Sends bytes and descriptors in one message.
  private func send(_ bytes: [UInt8], descriptors: [Int32], on socket: Int32? = nil) throws {
    let sent = clinux_send_descriptors(
      socket ?? client.descriptor, bytes, bytes.count, descriptors, descriptors.count, 0)
    guard sent == bytes.count else { throw TestFailure("sendmsg: \(sent), \(errno)") }
  }

  /// Stops the hub, so that it finds everything sent meanwhile at once.
  private func whileStopped(_ body: () throws -> Void) throws {
    hub.process.signal(SIGSTOP)
    while !readFile("/proc/\(hub.pid)/stat").contains(") T ") {}
    try body()
    hub.process.signal(SIGCONT)
  }

  private func expectPongs(_ ids: some Sequence<UInt32>) throws {
    for id in ids {
      guard case .pong = try client.reply(to: id) else { throw TestFailure("no pong to \(id)") }
    }
    #expect(hub.process.descriptorCount == own)
  }

  @Test("a request that comes with descriptors, and those after it", arguments: [1, 2, 253])
  func whole(count: Int) throws {
    let descriptors = [Int32](repeating: STDIN_FILENO, count: count)
    try whileStopped {
      try send(ping(100), descriptors: descriptors)
      try client.send(bytes: ping(101) + ping(102))
    }
    try expectPongs(100...102)
  }

  @Test("many messages, each with a descriptor of its own, between others without")
  func many() throws {
    try whileStopped {
      for id in UInt32(100)..<140 {
        try send(ping(id), descriptors: id % 3 == 0 ? [] : [client.descriptor, STDIN_FILENO])
      }
    }
    try expectPongs(100..<140)
  }

  @Test("a descriptor beside any part of a frame, and beside each byte of it")
  func parts() throws {
    let bytes = ping(100) + ping(101)
    for cut in 1..<bytes.count {
      try whileStopped {
        try send(Array(bytes[..<cut]), descriptors: [STDIN_FILENO])
        try send(Array(bytes[cut...]), descriptors: [])
      }
      try expectPongs(100...101)
      try whileStopped {
        try send(Array(bytes[..<cut]), descriptors: [])
        try send(Array(bytes[cut...]), descriptors: [STDIN_FILENO])
        try client.send(bytes: ping(102))
      }
      try expectPongs(100...102)
    }
    try whileStopped { for byte in bytes { try send([byte], descriptors: [STDIN_FILENO]) } }
    try expectPongs(100...101)
  }

  @Test("a frame longer than a read, in pieces with descriptors")
  func long() throws {
    let value = Value.data([UInt8](repeating: 7, count: 300_000))
    let bytes = RawClient.bytes(.set("long", value), id: 100) + ping(101)
    var rest = bytes[...]
    while !rest.isEmpty {
      try send(Array(rest.prefix(9_999)), descriptors: [STDIN_FILENO])
      rest = rest.dropFirst(9_999)
    }
    guard case .written = try client.reply(to: 100) else { throw TestFailure("not written") }
    try expectPongs([101])
  }

  @Test("a descriptor beside hello, and the connection's own end")
  func hello() throws {
    let other = try RawClient(to: hub.socket)
    try whileStopped {
      try send(
        RawClient.bytes(.hello(name: "other"), id: 1), descriptors: [other.descriptor], on: other.descriptor)
      try send(ping(2), descriptors: [other.descriptor], on: other.descriptor)
      try send(ping(3), descriptors: [], on: other.descriptor)
      other.finishWriting()
    }
    #expect(try other.messagesUntilEnd().count == 3)
  }

  /// Some kernels do not support it for these sockets.
  private func urgentByte(on socket: Int32) -> Bool {
    Glibc.send(socket, [0xEE], 1, Int32(MSG_OOB)) == 1
  }

  @Test("urgent data is no part of the stream, and holds nothing up")
  func urgent() throws {
    let other = try hub.connect()
    guard urgentByte(on: other.descriptor) else { return }
    for _ in 0..<50 {
      // The byte before must be read first: otherwise it becomes part of the stream.
      guard case .pong = try client.call(.ping) else { throw TestFailure("no pong") }
      try whileStopped {
        try client.send(bytes: ping(100))
        #expect(urgentByte(on: client.descriptor))
        try client.send(bytes: ping(101))
      }
      for id in UInt32(100)...101 {
        guard case .pong = try client.reply(to: id) else { throw TestFailure("no pong to \(id)") }
      }
    }
  }
}
