// A way to a member that can be cut, or lose one direction: it cuts a machine off without any privileges.

package import EtcdProcesses
internal import Glibc
internal import Synchronization

package final class Proxy: Sendable {
  package enum Mode: Sendable {
    /// Everything passes.
    case open
    /// Nothing passes, and connections stay.
    case hole
    /// Requests pass, answers are lost.
    case deaf
    /// Requests and answers pass, the changes of watches are lost.
    case unwatched
    /// As `deaf`, for transactions that delete keys and set none.
    case deafToRemovals
    /// Connections end at once.
    case cut
  }

  private struct State {
    var mode = Mode.open
    var isOver = false
    var sockets: Set<CInt> = []
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
    let listener: CInt
    let target: sockaddr_in

    init(listener: CInt, target: sockaddr_in) { (self.listener, self.target) = (listener, target) }
  }

  private let shared: Shared
  /// Where it listens.
  package let url: String

  /// - Parameter node: the member that it leads to.
  package init(to node: EtcdNode) throws {
    guard var target = Proxy.address(node.address, 2379) else { throw ProcessFailure("no address") }
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    let own = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
    guard var name = Proxy.address(own, 2379) else { throw ProcessFailure("no address") }
    let bound = Proxy.with(&name) { bind(listener, $0, $1) }
    guard bound == 0, listen(listener, 64) == 0 else { throw ProcessFailure("listen: errno \(errno)") }
    target.sin_family = sa_family_t(AF_INET)
    shared = Shared(listener: listener, target: target)
    url = "http://\(own):2379"
    Proxy.thread { [shared] in Proxy.accept(shared) }
  }

  deinit {
    set(.cut)
    shared.state.withLock { $0.isOver = true }
    shutdown(shared.listener, CInt(SHUT_RDWR))
  }

  /// Changes the mode. A cut ends the existing connections.
  package func set(_ mode: Mode) {
    shared.state.withLock { state in
      state.mode = mode
      if mode == .cut { for socket in state.sockets { shutdown(socket, CInt(SHUT_RDWR)) } }
    }
  }

  private static func accept(_ shared: Shared) {
    while true {
      let client = Glibc.accept(shared.listener, nil, nil)
      let (mode, isOver) = shared.state.withLock { ($0.mode, $0.isOver) }
      if isOver { break }
      if client < 0 { continue }
      if mode == .cut {
        close(client)
        continue
      }
      let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      var target = shared.target
      guard with(&target, { connect(server, $0, $1) }) == 0 else {
        close(client)
        close(server)
        continue
      }
      shared.state.withLock { $0.sockets.formUnion([client, server]) }
      let pair = Pair(client: client, server: server, shared: shared)
      thread { pair.pump(from: client, to: server, isAnswer: false) }
      thread { pair.pump(from: server, to: client, isAnswer: true) }
    }
    close(shared.listener)
  }

  /// Two connected sockets, closed when both directions have ended.
  private final class Pair: Sendable {
    let client, server: CInt
    let shared: Shared
    let left = Mutex(2)
    let watches = Atomic(false)
    let removes = Atomic(false)

    init(client: CInt, server: CInt, shared: Shared) {
      (self.client, self.server, self.shared) = (client, server, shared)
    }

    func pump(from source: CInt, to target: CInt, isAnswer: Bool) {
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = recv(source, &buffer, buffer.count, 0)
        if count <= 0 { break }
        let mode = shared.state.withLock { $0.mode }
        if mode == .hole || mode == .deaf && isAnswer { continue }
        if !isAnswer, buffer[..<count].starts(with: "POST /v3/watch ".utf8) {
          watches.store(true, ordering: .relaxed)
        }
        if mode == .unwatched, isAnswer, watches.load(ordering: .relaxed) { continue }
        if mode == .deafToRemovals {
          let text = String(decoding: buffer[..<count], as: UTF8.self)
          if !isAnswer, text.contains("request_delete_range"), !text.contains("request_put") {
            removes.store(true, ordering: .relaxed)
          }
          if isAnswer, removes.load(ordering: .relaxed) { continue }
        }
        var sent = 0
        while sent < count {
          let more = buffer.withUnsafeBytes {
            send(target, $0.baseAddress?.advanced(by: sent), count - sent, CInt(MSG_NOSIGNAL))
          }
          if more <= 0 { break }
          sent += more
        }
        if sent < count { break }
      }
      shutdown(source, CInt(SHUT_RDWR))
      shutdown(target, CInt(SHUT_RDWR))
      let isLast = left.withLock { left in
        left -= 1
        return left == 0
      }
      guard isLast else { return }
      shared.state.withLock { $0.sockets.subtract([client, server]) }
      close(client)
      close(server)
    }
  }

  // MARK: The system

  private static func address(_ text: String, _ port: UInt16) -> sockaddr_in? {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    return inet_pton(AF_INET, text, &name.sin_addr) == 1 ? name : nil
  }

  private static func with(
    _ name: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func thread(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    if failure == 0 { pthread_detach(thread) } else { work.release() }
  }
}
