// The transport's promises, with a server that plays every fault of a connection.

import EtcdGateway
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct TransportTests {
  private func request(_ server: RawServer, body: [UInt8] = [123, 125], seconds: Double = 20) -> HTTPRequest {
    HTTPRequest(url: server.url + "/x", body: body, deadline: .now + .seconds(seconds))
  }

  private func failure<Value>(
    _ body: () async throws(TransportFailure) -> Value
  ) async -> TransportFailure? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error
    }
  }

  @Test func chunksByteByByteAndTrailersMakeOneBody() async throws {
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      let body =
        "5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\nGrpc-Trailer-Content-Type: application/grpc\r\nA: b\r\n\r\n"
      connection.write(
        "HTTP/1.1 400 Bad\r\nTrailer: A\r\nTransfer-Encoding: chunked\r\n\r\n" + body, each: { 1 })
      // The trailers were taken as such: the connection serves the next request.
      guard connection.request() != nil else { return }
      connection.answer("again")
    }
    let transport = HTTPTransport()
    let answer = try await transport.send(request(server))
    #expect(answer.status == 400)
    #expect(String(decoding: answer.body, as: UTF8.self) == "hello, world")
    let next = try await transport.send(request(server))
    #expect(String(decoding: next.body, as: UTF8.self) == "again")
    #expect(server.connections == 1)
  }

  @Test(arguments: 1...5) func linesAreSplitAnywhere(seed: Int) async throws {
    let lines = (0..<200).map { String(repeating: "l\($0)", count: ($0 * seed) % 97) }
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", each: { seed })
      let bytes = Array(lines.joined(separator: "\n").utf8)
      var (start, state) = (0, UInt64(seed))
      func pick(_ most: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return 1 + Int(state >> 33) % most
      }
      while start < bytes.count {
        let end = min(bytes.count, start + pick(300))
        connection.write("\(String(end - start, radix: 16))\r\n", each: { pick(3) })
        connection.write(Array(bytes[start..<end]), each: { pick(100) })
        connection.write("\r\n", each: { pick(2) })
        start = end
      }
      connection.write("0\r\n\r\n", each: { 1 })
    }
    var got: [String] = []
    for try await line in try await HTTPTransport().open(request(server)).lines() {
      got.append(String(decoding: line, as: UTF8.self))
    }
    #expect(got == lines)
  }

  @Test func aLineOfManyMegabytesIsWhole() async throws {
    let line = (0..<8_000_000).map { UInt8(97 + $0 % 26) }
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(line.count + 3)\r\n\r\n")
      connection.write(line + Array("\nok".utf8), each: { 70_001 })
    }
    var lines = try await HTTPTransport().open(request(server)).lines()
    let first = try await lines.next()
    let second = try await lines.next()
    #expect(first == line)
    #expect(second == Array("ok".utf8))
    #expect(try await lines.next() == nil)
  }

  @Test func aLineThatIsTooLongEndsTheStream() async throws {
    let closed = Signal<Bool>()
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 5000))
      connection.waitForClose()
      closed.send(true)
    }
    var lines = try await HTTPTransport().open(request(server)).lines(longest: 4000)
    let failure = await failure { () async throws(TransportFailure) in try await lines.next() }
    #expect(failure?.kind == .tooLong)
    #expect(await closed.wait() == true)
  }

  @Test func aBodyThatIsTooLongIsRefused() async throws {
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.answer(String(repeating: "x", count: 5000))
    }
    var settings = TransportSettings()
    settings.longestBody = 4999
    let transport = HTTPTransport(settings)
    #expect(
      await failure { () async throws(TransportFailure) in try await transport.send(request(server)) }?.kind
        == .tooLong)
  }

  @Test func aSlowReaderMakesTheOtherSideWait() async throws {
    let stalled = Signal<Int>()
    let total = 64 << 20
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
      connection.limitWrites(milliseconds: 300)
      let block = [UInt8](repeating: 1, count: 1 << 16)
      var written = 0
      var hasStalled = false
      while written < total {
        let taken = connection.write(Array(block.prefix(total - written)))
        written += taken
        if taken < block.count, !hasStalled {
          hasStalled = true
          stalled.send(written)
        }
      }
      if !hasStalled { stalled.send(written) }
    }
    let stream = try await HTTPTransport().open(request(server))
    let written = try #require(await stalled.wait())
    #expect(written < 32 << 20)
    var received = 0
    for try await piece in stream { received += piece.count }
    #expect(received == total)
  }

  @Test func aDeadlineEndsACallAndSaysThatItWasSent() async throws {
    let server = try RawServer { connection, _ in connection.waitForClose() }
    let transport = HTTPTransport()
    let failure = await failure { () async throws(TransportFailure) in
      try await transport.send(request(server, seconds: 0.2))
    }
    #expect(failure?.kind == .deadline)
    #expect(failure?.mayHaveBeenReceived == true)
  }

  @Test func cancellationClosesTheConnectionAtOnce() async throws {
    let (arrived, closed) = (Signal<Bool>(), Signal<Bool>())
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      arrived.send(true)
      connection.waitForClose()
      closed.send(true)
    }
    let transport = HTTPTransport()
    let task = Task {
      await failure { () async throws(TransportFailure) in try await transport.send(request(server)) }
    }
    #expect(await arrived.wait() == true)
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    #expect(await closed.wait() == true)
  }

  @Test func aCallOfACancelledTaskIsNotAnswered() async throws {
    let server = try RawServer { connection, _ in connection.waitForClose() }
    let transport = HTTPTransport()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { () async throws(TransportFailure) in try await transport.send(request(server)) }
    }
    #expect(await task.value?.kind == .cancelled)
  }

  @Test func aReleasedStreamIsClosed() async throws {
    let closed = Signal<Bool>()
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n\r\nx")
      connection.waitForClose()
      closed.send(true)
    }
    let transport = HTTPTransport()
    do {
      let stream = try await transport.open(request(server))
      let first = try await stream.next()
      #expect(first == [120])
    }
    #expect(await closed.wait() == true)
  }

  @Test func aConnectionThatEndsAfterSendingLeavesTheOutcomeOpen() async throws {
    let server = try RawServer { connection, _ in _ = connection.request() }
    let transport = HTTPTransport()
    let failure = await failure { () async throws(TransportFailure) in
      try await transport.send(request(server))
    }
    #expect(failure?.kind == .cut)
    #expect(failure?.mayHaveBeenReceived == true)
  }

  @Test func aRefusedConnectionMeansThatNothingWasSent() async throws {
    let transport = HTTPTransport()
    let failure = await failure { () async throws(TransportFailure) in
      try await transport.send(HTTPRequest(url: "http://127.255.255.254:1/x", body: [1]))
    }
    #expect(failure?.kind == .unreachable)
    #expect(failure?.mayHaveBeenReceived == false)
  }

  @Test func aBodyThatWasNotTakenWholeHadNoEffect() async throws {
    let server = try RawServer { connection, _ in
      _ = connection.read(100)
      connection.reset()
    }
    let transport = HTTPTransport()
    let failure = await failure { () async throws(TransportFailure) in
      try await transport.send(request(server, body: [UInt8](repeating: 32, count: 64 << 20)))
    }
    #expect(failure?.kind == .cut)
    #expect(failure?.mayHaveBeenReceived == false)
  }

  @Test(arguments: [false, true]) func onlyWhatReadsIsSentAgainOnAFreshConnection(isRepeatable: Bool)
    async throws
  {
    let requests = Mutex(0)
    let server = try RawServer { connection, number in
      while connection.request() != nil {
        let count = requests.withLock { requests in
          requests += 1
          return requests
        }
        if count == 2 { return }
        connection.answer("answer \(count)")
      }
    }
    let transport = HTTPTransport()
    _ = try await transport.send(request(server))
    var second = request(server)
    second.isRepeatable = isRepeatable
    if isRepeatable {
      let answer = try await transport.send(second)
      #expect(String(decoding: answer.body, as: UTF8.self) == "answer 3")
    } else {
      let failure = await failure { () async throws(TransportFailure) in try await transport.send(second) }
      #expect(failure?.kind == .cut)
      #expect(failure?.mayHaveBeenReceived == true)
      #expect(requests.withLock { $0 } == 2)
    }
  }

  @Test func redirectsAreNotFollowed() async throws {
    let other = try RawServer { connection, _ in connection.answer("no") }
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.write("HTTP/1.1 307 X\r\nLocation: \(other.url)/\r\nContent-Length: 0\r\n\r\n")
    }
    let answer = try await HTTPTransport().send(request(server))
    #expect(answer.status == 307)
    #expect(other.connections == 0)
  }

  @Test func aProxyIsUsedIfItIsAskedFor() async throws {
    let proxy = try RawServer { connection, _ in
      guard let request = connection.request() else { return }
      connection.answer(request.path)
    }
    var settings = TransportSettings()
    settings.proxy = proxy.url
    let answer = try await HTTPTransport(settings).send(
      HTTPRequest(url: "http://etcd.invalid:2379/x", body: [1]))
    #expect(String(decoding: answer.body, as: UTF8.self) == "http://etcd.invalid:2379/x")
  }

  @Test func whatIsNotHTTPIsMalformed() async throws {
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.write("SSH-2.0-OpenSSH\r\n")
    }
    let transport = HTTPTransport()
    let failure = await failure { () async throws(TransportFailure) in
      try await transport.send(request(server))
    }
    #expect(failure?.kind == .malformed)
  }

  @Test func moreTransfersThanAllowedAreRefused() async throws {
    let arrived = Signal<Bool>()
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      arrived.send(true)
      connection.waitForClose()
    }
    var settings = TransportSettings()
    settings.transfers = 1
    let transport = HTTPTransport(settings)
    let stream = try await transport.open(request(server))
    #expect(await arrived.wait() == true)
    let failure = await failure { () async throws(TransportFailure) in
      try await transport.send(request(server))
    }
    #expect(failure?.kind == .busy)
    #expect(failure?.mayHaveBeenReceived == false)
    stream.cancel()
    await #expect(throws: TransportFailure.self) { while try await stream.next() != nil {} }
    let next = Task {
      await self.failure { () async throws(TransportFailure) in
        try await transport.send(request(server, seconds: 0.3))
      }
    }
    #expect(await next.value?.kind == .deadline)
  }

  @Test func manyCallsAtATimeKeepTheirAnswersApart() async throws {
    let server = try RawServer { connection, _ in
      while let request = connection.request() { connection.answer(request.body) }
    }
    let transport = HTTPTransport()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          for _ in 0..<10 {
            let body = Array("body \(number)".utf8)
            let answer = try await transport.send(
              HTTPRequest(url: server.url + "/x", body: body, deadline: .now + .seconds(60)))
            if answer.body != body { return false }
          }
          return true
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(server.connections <= 100)
  }
}
