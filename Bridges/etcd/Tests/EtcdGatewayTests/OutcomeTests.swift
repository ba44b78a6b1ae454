// The failures that the client reports, with servers that answer like etcd, differently, or not at all.

import EtcdGateway
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct OutcomeTests {
  private func client(_ servers: RawServer...) throws -> EtcdClient {
    try EtcdClient(EtcdSettings(endpoints: servers.map(\.url)))
  }

  private static let header = "{\"header\":{\"revision\":\"7\"}}"

  @Test func aWriteThatIsCutIsLeftOpenAndNotRepeated() async throws {
    let cutting = try RawServer { connection, _ in _ = connection.request() }
    let other = try RawServer { connection, _ in
      while connection.request() != nil { connection.answer(OutcomeTests.header) }
    }
    let client = try client(cutting, other)
    let failed = await failure { () async throws(EtcdFailure) in try await client.put(Data("k"), Data()) }
    guard case .cut? = failed?.problem else {
      Issue.record("\(String(describing: failed))")
      return
    }
    #expect(failed?.effect == .unknown)
    #expect(failed?.endpoint == cutting.url)
    #expect(cutting.connections == 1 && other.connections == 0)
    #expect(try await client.put(Data("k"), Data()) == 7)
    #expect(cutting.connections == 1)
  }

  @Test func aReadThatIsCutIsAskedElsewhere() async throws {
    let cutting = try RawServer { connection, _ in _ = connection.request() }
    let other = try RawServer { connection, _ in
      while connection.request() != nil { connection.answer(OutcomeTests.header) }
    }
    let client = try client(cutting, other)
    #expect(try await client.range(EtcdRange(.key("k"))).currentRevision == 7)
    #expect(client.endpoint == other.url)
  }

  @Test func aWriteThatAMemberRefusesForWantOfALeaderIsAskedElsewhere() async throws {
    let leaderless = try RawServer { connection, _ in
      while connection.request() != nil {
        connection.answer("{\"error\":\"etcdserver: no leader\",\"code\":14}", status: 503)
      }
    }
    let other = try RawServer { connection, _ in
      while connection.request() != nil { connection.answer(OutcomeTests.header) }
    }
    #expect(try await client(leaderless, other).put(Data("k"), Data()) == 7)
    #expect(other.connections == 1)
  }

  @Test(arguments: [
    ("etcdserver: mvcc: required revision has been compacted", 11, EtcdProblem.compacted(oldest: nil), true),
    ("etcdserver: no leader", 14, .noLeader, true),
    ("etcdserver: request timed out", 14, .unavailable("etcdserver: request timed out"), false),
    ("etcdserver: leader changed", 14, .unavailable("etcdserver: leader changed"), false),
    ("etcdserver: permission denied", 7, .permissionDenied("etcdserver: permission denied"), true),
    ("etcdserver: mvcc: database space exceeded", 8, .noSpace, true),
    ("etcdserver: too many requests", 8, .tooManyRequests, true),
    ("etcdserver: request is too large", 3, .tooLarge("etcdserver: request is too large"), true),
    ("etcdserver: requested lease not found", 5, .leaseNotFound, true),
    ("context deadline exceeded", 4, .deadline, false),
    ("something new", 13, .unavailable("something new"), false),
  ]) func errorsOfEtcdAreTyped(text: String, code: Int, problem: EtcdProblem, isCertain: Bool) async throws {
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      let body = Array("{\"error\":\"\(text)\",\"message\":\"\(text)\",\"code\":\(code)}".utf8)
      connection.write("HTTP/1.1 400 X\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n", each: { 1 })
      for byte in body { connection.write([49, 13, 10, byte, 13, 10], each: { 1 }) }
      connection.write("0\r\nA: b\r\n\r\n", each: { 1 })
    }
    let client = try client(server)
    let failed = await failure { () async throws(EtcdFailure) in try await client.put(Data("k"), Data()) }
    #expect(failed?.problem == problem)
    #expect(failed?.effect == (isCertain ? EtcdFailure.Effect.none : .unknown))
    #expect(failed.map { "\($0)".hasPrefix(server.url) } == true)
  }

  @Test func anErrorInAStreamEndsTheWatchWithIt() async throws {
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      let error = "{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":\"etcdserver: no leader\"}}\n"
      let created = "{\"result\":{\"header\":{\"revision\":\"3\"},\"created\":true}}\n"
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \((created + error).utf8.count)\r\n\r\n")
      connection.write(created + error, each: { 1 })
    }
    let watch = try await client(server).watch(.key("k"))
    #expect(watch.createdRevision == 3)
    #expect(await watch.end()?.problem == .noLeader)
  }

  @Test(arguments: ["cancel_reason\":\"stopped", ""]) func aWatchThatEndsOtherwiseSaysHow(reason: String)
    async throws
  {
    let server = try RawServer { connection, _ in
      guard connection.request() != nil else { return }
      let end = reason.isEmpty ? "" : "{\"result\":{\"header\":{},\"canceled\":true,\"\(reason)\"}}\n"
      connection.answer("{\"result\":{\"header\":{\"revision\":\"3\"},\"created\":true}}\n" + end)
    }
    let end = try await client(server).watch(.key("k")).end()
    #expect(end?.problem == (reason.isEmpty ? .cut("the stream has ended") : .watchCancelled("stopped")))
  }

  @Test func anAnswerThatIsNotEtcdsIsReported() async throws {
    let page = try RawServer { connection, _ in
      while connection.request() != nil { connection.answer("<html>hello</html>") }
    }
    let pageClient = try client(page)
    let failed = await failure { () async throws(EtcdFailure) in try await pageClient.put(Data("k"), Data()) }
    #expect(failed?.problem == .malformed("<html>hello</html>"))
    let missing = try RawServer { connection, _ in
      while connection.request() != nil { connection.answer("Not Found\n", status: 404) }
    }
    let missingClient = try client(missing)
    let absent = await failure { () async throws(EtcdFailure) in
      try await missingClient.put(Data("k"), Data())
    }
    #expect(absent?.problem == .status(404, "Not Found"))
    #expect(absent?.effect == EtcdFailure.Effect.none)
    let none = await failure { () async throws(EtcdFailure) in
      try EtcdClient(EtcdSettings(endpoints: ["host:1"]))
    }
    #expect(none?.problem == .rejected("an endpoint begins with http:// or https://"))
  }
}
