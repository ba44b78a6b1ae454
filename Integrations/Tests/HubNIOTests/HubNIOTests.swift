// A Hub on an event loop of SwiftNIO, with a real hub: where its work is done, what it survives, and how it ends.

import HubClient
import HubNIO
import IntegrationSupport
import NIOCore
import NIOPosix
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite("A Hub on an event loop of SwiftNIO", .enabled(if: HubProgram.path != nil), .timeLimit(.minutes(4)))
struct HubNIOTests {
  /// Each test has a loop, which it keeps: NIO's threads of tests are shared.
  private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

  @Test("follows and writes on the loop's thread alone")
  func thread() async throws {
    let program = try await HubProgram()
    let nio = NIOHub(.explicit(program.socket), on: eventLoop)
    let number = nio.hub.value("number", of: Int.self)
    let task = Task(executorPreference: nio.hub.executor) { [eventLoop] in
      var seen: [Int] = []
      try await number.set(0)
      for try await value in number.values {
        #expect(eventLoop.inEventLoop)
        seen.append(value)
        if value == 100 { break }
        try await number.add(1)
        #expect(eventLoop.inEventLoop)
      }
      return seen
    }
    #expect(try await task.value == Array(0...100))
    try await nio.close().get()
  }

  @Test("serves tasks of Swift's pool, too")
  func pool() async throws {
    let program = try await HubProgram()
    let nio = NIOHub(.explicit(program.socket), on: eventLoop)
    let sum = nio.hub.value("sum", of: Int.self)
    try await sum.set(0)
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { _ = try await sum.add(1) } }
      try await group.waitForAll()
    }
    #expect(try await sum.get() == 50)
    try await nio.close().get()
  }

  @Test("carries values of a megabyte both ways, many at once")
  func large() async throws {
    let program = try await HubProgram()
    let nio = NIOHub(.explicit(program.socket), on: eventLoop)
    let texts = (0..<8).map { String(repeating: "\($0)", count: 1_000_000) }
    try await withThrowingTaskGroup { group in
      for (index, text) in texts.enumerated() {
        group.addTask { try await nio.hub.value("text.\(index)", of: String.self).set(text) }
      }
      try await group.waitForAll()
    }
    // As another connection sees it, and as this one does.
    for hub in [program.connect(), nio.hub] {
      for (index, text) in texts.enumerated() {
        #expect(try await hub.value("text.\(index)", of: String.self).get() == text)
      }
    }
    try await nio.close().get()
  }

  @Test("survives the death of the hub: the stream goes on, and requests wait for the next one")
  func restart() async throws {
    let program = try await HubProgram()
    let nio = NIOHub(.explicit(program.socket), on: eventLoop, timeout: .seconds(60))
    let number = nio.hub.value("number", of: Int.self)
    var values = number.values.makeAsyncIterator()
    try await number.set(1)
    #expect(try await values.next() == 1)
    program.kill()
    for await status in nio.hub.statuses where status.error?.code == .noHub { break }
    #expect(number.cached == 1)
    let reading = Task { try await nio.hub.ping() }
    try await program.start()
    _ = try await reading.value
    try await program.connect().value("number", of: Int.self).set(2)
    #expect(try await values.next() == 2)
    try await nio.close().get()
  }

  @Test("fails what has no more time while there is no hub, and says what to do")
  func noHub() async throws {
    let nio = NIOHub(.explicit("/nowhere/hub.sock"), on: eventLoop, timeout: .milliseconds(50))
    let error = await #expect(throws: HubError.self) { try await nio.hub.ping() }
    #expect(error?.code == .noHub)
    #expect(error?.message.contains("/nowhere/hub.sock") == true)
    try await nio.close().get()
    let long = NIOHub(
      .explicit("/" + String(repeating: "x", count: 200)), on: eventLoop, timeout: .milliseconds(50))
    await #expect(throws: HubError.self) { try await long.hub.ping() }
    try await long.close().get()
  }

  @Test("leaves a peer that is no hub, and tries again")
  func stranger() async throws {
    let accepted = AsyncStream<Void>.makeStream()
    let path = "\(HubProgram.newDirectory())/hub.sock"
    let server = try await ServerBootstrap(group: eventLoop)
      .childChannelInitializer { channel in
        accepted.continuation.yield()
        channel.closeFuture.whenComplete { _ in accepted.continuation.yield() }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Babbler())
        }
      }
      .bind(unixDomainSocketPath: path).get()
    let nio = NIOHub(.explicit(path), on: eventLoop)
    let number = nio.hub.value("number", of: Int.self)
    let values = number.values.makeAsyncIterator()
    var events = accepted.stream.makeAsyncIterator()
    for _ in 0..<4 { await events.next() }
    #expect(nio.hub.status.error?.code == .protocolViolation)
    try await nio.close().get()
    try await server.close()
    withExtendedLifetime(values) {}
  }

  @Test("that is closed ends the connection and what waits, and the loop can be shut down")
  func closed() async throws {
    let program = try await HubProgram()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let nio = NIOHub(.explicit(program.socket), on: group.next())
    let (isFollowing, continuation) = AsyncStream<Void>.makeStream()
    let following = Task(executorPreference: nio.hub.executor) {
      await #expect(throws: HubError.self) {
        for try await _ in nio.hub.value("number", of: Int.self).values { continuation.yield() }
      }?.code
    }
    try await nio.hub.value("number", of: Int.self).set(1)
    for await _ in isFollowing { break }
    let clients = program.connect()
    #expect(try await clients.clients == 2)
    try await nio.close().get()
    try await group.shutdownGracefully()
    #expect(await following.value == .closed)
    #expect(nio.hub.status == .closed)
    while try await clients.clients != 1 { await Task.yield() }
    // What prefers it now runs on Swift's pool.
    await Task(executorPreference: nio.hub.executor) {}.value
  }

  @Test("as a service keeps its connection until the group shuts down, and the loop can be shut down then")
  func service() async throws {
    let program = try await HubProgram()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let nio = NIOHub(.explicit(program.socket), on: group.next())
    try await testGracefulShutdown { trigger in
      async let running: Void = nio.run()
      for await status in nio.hub.statuses where status.isConnected { break }
      trigger.triggerGracefulShutdown()
      try await running
    }
    try await group.shutdownGracefully()
    #expect(nio.hub.status == .closed)
  }

  @Test("that is released closes its Hub and its channel")
  func released() async throws {
    let program = try await HubProgram()
    var nio: NIOHub? = NIOHub(.explicit(program.socket), on: eventLoop)
    let hub = try #require(nio?.hub)
    _ = try await hub.ping()
    nio = nil
    for await status in hub.statuses where status == .closed { break }
    #expect(hub.status == .closed)
    let observer = program.connect()
    while try await observer.clients != 1 { await Task.yield() }
  }

  @Test("that is closed while it connects leaves nothing behind")
  func closedEarly() async throws {
    let program = try await HubProgram()
    let observer = program.connect()
    for _ in 0..<50 {
      let nio = NIOHub(.explicit(program.socket), on: eventLoop)
      let values = nio.hub.value("number", of: Int.self).values.makeAsyncIterator()
      try await nio.close().get()
      withExtendedLifetime(values) {}
    }
    while try await observer.clients != 1 { await Task.yield() }
  }
}

/// Says something that is no hub's.
private final class Babbler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func channelActive(context: ChannelHandlerContext) {
    context.channel.writeAndFlush(ByteBuffer(repeating: 0xFF, count: 64), promise: nil)
  }
}

extension Hub {
  /// How many connections the hub has.
  fileprivate var clients: UInt64? {
    get async throws { try await stats().first { $0.name == "clients" }?.value }
  }
}
