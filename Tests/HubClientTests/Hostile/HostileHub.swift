// A hub that a test scripts: it accepts on a thread of its own and sends what the script says. It speaks no protocol itself.

import CLinux
import Glibc
import HubCore
import Synchronization
import TestSupport

final class HostileHub: Sendable {
  let path: String
  private let listener: Int32
  private let accepted = Atomic<Int>(0)
  private static let number = Atomic<Int>(0)

  /// How many connections were accepted.
  var connections: Int { accepted.load(ordering: .sequentiallyConsistent) }

  /// - Parameter script: plays one connection, which closes when it returns. Runs on a thread of its own.
  init(in directory: TemporaryDirectory, _ script: @escaping @Sendable (HostileConnection) -> Void) throws {
    path = directory.file("hostile.\(HostileHub.number.add(1, ordering: .relaxed).newValue).sock")
    listener = clinux_unix_stream()
    var text = path
    guard text.withUTF8({ clinux_bind_unix(listener, $0.baseAddress, $0.count) }) == 0,
      listen(listener, 64) == 0
    else { throw TestFailure("cannot listen at \(path): \(errno)") }
    HostileHub.thread { [self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        if descriptor < 0 {
          if errno == EINTR || errno == ECONNABORTED { continue }
          return
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        accepted.add(1, ordering: .sequentiallyConsistent)
        HostileHub.thread { script(HostileConnection(descriptor)) }
      }
    }
  }

  /// Takes no more connections.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func thread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
      let body: @Sendable () -> Void; init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var id = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let result = pthread_create(
      &id, nil,
      {
        Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    precondition(result == 0)
    pthread_detach(id)
  }
}

/// One accepted connection, on its script's thread.
final class HostileConnection {
  private let descriptor: Int32
  private var received: [UInt8] = []

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// - Returns: false once the client has gone.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Waits for something that the client sends.
  ///
  /// - Returns: false once it has gone.
  @discardableResult
  func read() -> Bool {
    var room = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &room, room.count)
    received += room.prefix(max(0, count))
    return count > 0
  }

  /// The number of the next request; nil once the client has gone.
  func nextRequest() -> UInt32? {
    while true {
      var number: UInt32?
      received.withByteView {
        var cursor = FrameCursor($0)
        number = cursor.next()?.request
      }
      if let number {
        received.removeFirst(12 + Int(received[0]) + Int(received[1]) << 8 + Int(received[2]) << 16)
        return number
      }
      guard read() else { return nil }
    }
  }

  /// Answers hello, as any hub does.
  func greet() { if let number = nextRequest() { send(HostileConnection.welcome(number)) } }

  /// Reads until the client goes.
  func drain() { while read() {} }

  static func welcome(_ number: UInt32) -> [UInt8] {
    let welcome = Welcome(
      version: Frame.version, capabilities: 0, epoch: Epoch(high: 1, low: 1), revision: 1,
      maximumFrameLength: 1 << 20, pid: 1, release: "hostile")
    return frame { Reply.welcome(welcome).encode(into: &$0, request: number) }
  }

  static func frame(_ fill: (inout OutputBuffer) -> Void) -> [UInt8] {
    var out = OutputBuffer()
    fill(&out)
    return out.array
  }
}
