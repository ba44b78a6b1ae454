// What a browser gets: the page, the values as they change, and what happens to the hub. Over a real socket.

import Glibc
import HubClient
import HubPage
import HubTesting
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@Suite("A page that follows a store", .timeLimit(.minutes(4)))
struct HubPageTests {
  let hub = Hub.inMemory()

  /// Serves the page of `a` on a port of its own while `body` runs, and then shuts down.
  private func serve(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    let (ports, continuation) = AsyncStream<Int>.makeStream()
    let server = Application(
      router: hubPage(hub, store: "a"), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) })
    let group = ServiceGroup(services: [server], logger: Logger(label: "test"))
    let running = Task { try await group.run() }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next())
    try await body(port)
    await group.triggerGracefulShutdown()
    try await running.value
  }

  @Test("is HTML that names the store and asks for its events")
  func page() async throws {
    try await serve { port in
      let browser = try Browser(port, "/")
      let text = try await browser.read { $0.contains("</script>") }
      #expect(text.hasPrefix("HTTP/1.1 200 OK"))
      #expect(text.contains("<title>a</title>") && text.contains(#"new EventSource("events")"#))
    }
  }

  @Test("gets each value, the removal, and the hub's absence and return")
  func events() async throws {
    let memory = try #require(hub.memory)
    try await hub.value("a", of: Int.self).set(1)
    try await serve { [hub] port in
      let browser = try Browser(port, "/events")
      let start = try await browser.read { $0.contains("data: 1\n\n") }
      #expect(start.lowercased().contains("content-type: text/event-stream"))
      #expect(start.contains("id: 1\ndata: 1\n\n"))
      try await hub.value("a", of: Int.self).set(2)
      _ = try await browser.read { $0.contains("id: 2\ndata: 2\n\n") }
      try await hub.anyValue("a").remove()
      _ = try await browser.read { $0.contains("event: removed\n") }
      try await hub.value("a", of: String.self).set("two\nlines")
      _ = try await browser.read { $0.contains("data: two\ndata: lines\n\n") }
      memory.stop()
      _ = try await browser.read { $0.contains("event: away\ndata: ") }
      memory.start(keepingState: true)
      memory.advance(by: .seconds(10))
      _ = try await browser.read { $0.contains("event: back\n") }
    }
  }

  @Test("that is left costs the hub no watch any more")
  func left() async throws {
    let observer = try #require(hub.memory).connect()
    @Sendable func watches() async throws -> UInt64? {
      try await observer.stats().first { $0.name == "watches" }?.value
    }
    try await serve { port in
      var browser: Browser? = try Browser(port, "/events")
      _ = try await browser?.read { $0.contains("event: removed\n") }
      #expect(try await watches() == 1)
      browser = nil
      while try await watches() != 0 { await Task.yield() }
    }
  }
}

/// A connection that has asked for one page, and collects what comes.
private final class Browser {
  private let descriptor: Int32
  private var received = ""

  init(_ port: Int, _ path: String) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw HubError(.noHub, "no connection to port \(port)") }
    let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
      throw HubError(.noHub, "the request was not sent")
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  /// Reads until what has come is so, without the lengths of its chunks, and returns it.
  func read(until isSo: (String) -> Bool) async throws -> String {
    while true {
      let text = received.replacing("\r\n", with: "\n").replacing(/\n[0-9a-f]+\n/, with: "\n")
      if isSo(text) {
        received = ""
        return text
      }
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      try #require(count != 0, "the server has ended the connection: \(received)")
      if count > 0 { received += String(decoding: bytes.prefix(count), as: UTF8.self) }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}
