// A server without any HTTP of its own: each connection is a script that reads and writes bytes, on a thread of its own.

import Foundation
import Synchronization

final class RawServer: Sendable {
  let url: String
  private let listener: CInt
  private let counter = Mutex(0)

  /// How many connections there have been.
  var connections: Int { counter.withLock { $0 } }

  /// A server whose script gets each connection and its number, from 0.
  init(_ script: @escaping @Sendable (RawConnection, Int) -> Void) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = self.listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 1024) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    Thread.detachNewThread { [weak self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0, let server = self else { break }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let number = server.counter.withLock { counter in
          counter += 1
          return counter - 1
        }
        Thread.detachNewThread { script(RawConnection(descriptor), number) }
      }
      close(listener)
    }
  }

  /// The thread that accepts wakes up and closes the listener.
  deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// A connection; it is closed when its script returns.
final class RawConnection {
  private let descriptor: CInt

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    var one: CInt = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
  }

  deinit { close(descriptor) }

  /// The next request as its path and body; `nil`: the other side has closed.
  func request() -> (path: String, head: String, body: String)? {
    var head = ""
    while !head.hasSuffix("\r\n\r\n") {
      guard let byte = read(1) else { return nil }
      head += byte
    }
    let length = head.lowercased().split(separator: "content-length: ").last.flatMap {
      Int($0.prefix { $0.isNumber })
    }
    guard let body = read(length ?? 0) else { return nil }
    return (head.split(separator: " ").dropFirst().first.map(String.init) ?? "", head, body)
  }

  /// That many bytes, as text; `nil`: the other side closed before.
  func read(_ count: Int) -> String? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, count - filled, 0) }
      if got <= 0 { return nil }
      filled += got
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes, in pieces of the sizes that `each` returns. Returns how many bytes were sent.
  @discardableResult func write(_ bytes: [UInt8], each: () -> Int = { .max }) -> Int {
    var start = 0
    while start < bytes.count {
      let count = min(each(), bytes.count - start)
      let sent = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + start, count, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { break }
      start += sent
    }
    return start
  }

  func write(_ text: String, each: () -> Int = { .max }) { write(Array(text.utf8), each: each) }

  /// An answer with its length.
  func answer(_ body: String, status: Int = 200) {
    write("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// A write that takes longer than this ends.
  func limitWrites(milliseconds: Int) {
    var limit = timeval(tv_sec: 0, tv_usec: milliseconds * 1000)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Waits until the other side closes.
  func waitForClose() { while read(1) != nil {} }

  /// Makes the connection end with a reset instead of an orderly close.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
  }
}

/// A value that one side sends once and the other waits for.
final class Signal<Value: Sendable>: Sendable {
  private let pair = AsyncStream.makeStream(of: Value.self)

  func send(_ value: Value) { pair.continuation.yield(value) }

  func wait() async -> Value? { await pair.stream.first { _ in true } }
}

/// Holds threads back until it is opened.
final class Gate: Sendable {
  private let condition = NSCondition()
  private let isOpen = Mutex(false)

  func open() {
    isOpen.withLock { $0 = true }
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }

  func wait() {
    condition.lock()
    while !isOpen.withLock({ $0 }) { condition.wait() }
    condition.unlock()
  }
}
