// A hub that a test plays itself: it accepts, reads requests and answers with any bytes, on the test's own thread.

import CLinux
import Glibc
import HubCore
import TestSupport

final class PlayedHub {
  let path: String
  private let listener: Int32

  init(at path: String) throws {
    self.path = path
    listener = clinux_unix_stream()
    var text = path
    let bound = text.withUTF8 { clinux_bind_unix(listener, $0.baseAddress, $0.count) }
    guard bound == 0, listen(listener, 16) == 0 else {
      throw TestFailure("cannot listen at \(path): \(errno)")
    }
  }

  deinit { close(listener) }

  /// Accepts one client, lets it say something, answers with what `fill` writes, and ends the connection.
  func serve(_ fill: (inout OutputBuffer) -> Void) throws {
    let connection = try accept()
    _ = try connection.requests(1)
    try connection.answer(fill)
  }

  func accept() throws -> PlayedConnection {
    try wait(for: listener, "connect")
    return PlayedConnection(Glibc.accept(listener, nil, nil))
  }

  static func welcome(_ out: inout OutputBuffer, release: String = "played") {
    let welcome = Welcome(
      version: Frame.version, capabilities: 0, epoch: Epoch(high: 1, low: 1), revision: 1,
      maximumFrameLength: 1 << 20, pid: 1, release: release)
    Reply.welcome(welcome).encode(into: &out, request: 1)
  }
}

final class PlayedConnection {
  private let descriptor: Int32
  private var assembler = FrameAssembler(maximumLength: .max)

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The next requests, at least `count`: what has come with them as well.
  func requests(_ count: Int) throws -> [Request] {
    var requests: [Request] = []
    while requests.count < count {
      try wait(for: descriptor, "send")
      var length = 0
      assembler.fill { room in
        length = read(descriptor, room.baseAddress, room.count)
        return max(0, length)
      }
      if length <= 0 { throw TestFailure("the client has gone after \(requests.count) requests") }
      _ = assembler.drain { frame in
        if let request = try? Request(decoding: frame) { requests.append(request) }
        return true
      }
    }
    return requests
  }

  func answer(_ fill: (inout OutputBuffer) -> Void) throws {
    var out = OutputBuffer()
    fill(&out)
    guard send(descriptor, out.view.base, out.count, Int32(MSG_NOSIGNAL)) == out.count else {
      throw TestFailure("the client does not take the answer")
    }
  }
}

private func wait(for descriptor: Int32, _ what: String) throws {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  guard poll(&entry, 1, longestPoll) > 0 else { throw TestFailure("the client does not \(what)") }
}
