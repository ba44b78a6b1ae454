// A socket in front of a hub's: passes bytes on, and cuts all connections, or stays away, when a test wants it.

import CLinux
import Glibc
import TestSupport

/// Runs one thread, which alone touches the connections. The test talks to it over a pipe.
final class SocketProxy: Sendable {
  let path: String
  private let commands: Int32
  private let answers: Int32

  /// - Parameter target: where connections are passed on to.
  init(to target: String, in directory: TemporaryDirectory) throws {
    path = directory.file("proxy.sock")
    var (requests, replies): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe(&requests) == 0, pipe(&replies) == 0 else { throw TestFailure("pipe: \(errno)") }
    commands = requests[1]
    answers = replies[0]
    let worker = Worker(path: path, target: target, commands: requests[0], answers: replies[1])
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(worker).toOpaque()
    let problem = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Worker>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, argument)
    guard problem == 0 else { throw TestFailure("pthread_create: \(problem)") }
    pthread_detach(thread)
    tell("l")
  }

  deinit {
    tell("q")
    close(commands)
    close(answers)
  }

  /// Ends every connection; the next one is accepted at once.
  func cut() { tell("c") }
  /// Ends every connection, and is not there until `comeBack`.
  func goAway() { tell("a") }
  func comeBack() { tell("l") }

  private func tell(_ command: Unicode.Scalar) {
    var byte = UInt8(command.value)
    guard write(commands, &byte, 1) == 1 else { return }
    _ = read(answers, &byte, 1)
  }

  private final class Worker {
    let path: String
    let target: String
    let commands: Int32
    let answers: Int32
    private var listener: Int32 = -1
    /// Descriptors, each with the one that its bytes go to.
    private var peers: [Int32: Int32] = [:]

    init(path: String, target: String, commands: Int32, answers: Int32) {
      self.path = path
      self.target = target
      self.commands = commands
      self.answers = answers
    }

    func run() {
      var isRunning = true
      while isRunning {
        var entries = ([commands, listener] + peers.keys).map {
          pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&entries, UInt(entries.count), -1) > 0 else { continue }
        for entry in entries.dropFirst(2) where entry.revents != 0 { pass(from: entry.fd) }
        if entries[1].revents != 0 { accept() }
        if entries[0].revents != 0 { isRunning = obey() }
      }
      close(commands)
      close(answers)
    }

    private func obey() -> Bool {
      var byte: UInt8 = 0
      guard read(commands, &byte, 1) == 1 else { return false }
      switch UInt8(byte) {
      case UInt8(ascii: "l"): listen()
      case UInt8(ascii: "c"): cutAll()
      default:
        cutAll()
        if listener >= 0 { close(listener) }
        listener = -1
        unlink(path)
      }
      _ = write(answers, &byte, 1)
      return byte != UInt8(ascii: "q")
    }

    private func listen() {
      listener = clinux_unix_stream()
      var path = path
      _ = path.withUTF8 { clinux_bind_unix(listener, $0.baseAddress, $0.count) }
      _ = Glibc.listen(listener, 16)
    }

    private func accept() {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      guard let hub = RawClient.connectedSocket(to: target) else {
        close(client)
        return
      }
      peers[client] = hub
      peers[hub] = client
    }

    private func pass(from descriptor: Int32) {
      guard let peer = peers[descriptor] else { return }
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &chunk, chunk.count)
      var sent = 0
      while sent < count {
        let step = chunk.withUnsafeBytes {
          send(peer, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
        }
        if step <= 0 { break }
        sent += step
      }
      if count <= 0 || sent < count { end(descriptor) }
    }

    private func end(_ descriptor: Int32) {
      guard let peer = peers.removeValue(forKey: descriptor) else { return }
      peers[peer] = nil
      close(descriptor)
      close(peer)
    }

    private func cutAll() {
      for descriptor in Array(peers.keys) { end(descriptor) }
    }
  }
}
