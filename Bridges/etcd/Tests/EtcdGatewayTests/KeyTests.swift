// Reading and changing keys of a real etcd.

import EtcdGateway
import EtcdProcesses
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(3))) struct KeyTests {
  @Test func aKeyIsReadAsItWasSet() async throws {
    let client = try await SharedNode.client()
    let key = Data(SharedNode.prefix()) + [0, 255, 10, 34]
    let value = Data((0...255).map { UInt8($0) })
    let first = try await client.put(key, value)
    let second = try await client.put(key, Data())
    let before = try await client.range(EtcdRange(.key(key), revision: first))
    #expect(before.keyValues.map(\.value) == [value])
    let now = try #require(try await client.range(EtcdRange(.key(key))).keyValues.first)
    #expect(now.key == key && now.value.isEmpty && now.version == 2 && now.lease == 0)
    #expect(now.createRevision == first && now.modRevision == second)
    try await client.delete(.key(key))
    #expect(try await client.range(EtcdRange(.key(key))).keyValues.isEmpty)
  }

  @Test func aPrefixHasItsKeysAndNoOthers() async throws {
    let client = try await SharedNode.client()
    let prefix = Data(SharedNode.prefix()) + [255]
    for key in [prefix, prefix + [0], prefix + [255, 255], prefix.dropLast() + [254], prefix.dropLast()] {
      try await client.put(key, Data("x"))
    }
    let found = try await client.range(EtcdRange(.prefix(prefix), isWithoutValues: true))
    #expect(found.keyValues.map(\.key) == [prefix, prefix + [0], prefix + [255, 255]])
    #expect(found.keyValues.allSatisfy { $0.value.isEmpty })
  }

  @Test func tenThousandKeysComeInPagesOfOneRevision() async throws {
    let client = try await SharedNode.client()
    let prefix = SharedNode.prefix()
    for batch in 0..<100 {
      let puts = (0..<100).map {
        EtcdOperation.put(Data(prefix + "\(batch * 100 + $0)"), value: Data("\($0)"))
      }
      _ = try await client.transact(EtcdTransaction(success: puts))
    }
    var pages = client.pages(EtcdRange(.prefix(prefix), limit: 1500))
    var keys: [Data] = []
    var sizes: [Int] = []
    while let page = try await pages.next() {
      keys += page.keyValues.map(\.key)
      sizes.append(page.keyValues.count)
      // Later changes are not included: neither a new last key nor a deleted one.
      try await client.put(Data(prefix + "99999"), Data("later"))
      try await client.delete(.key(Data(prefix + "9998")))
    }
    #expect(sizes == [1500, 1500, 1500, 1500, 1500, 1500, 1000])
    #expect(keys.map(\.text) == (0..<10000).map { prefix + "\($0)" }.sorted())
  }

  @Test func aPageThatComesTooLateIsReadInPartsAndThenWithMoreTime() async throws {
    let limits = Mutex<[String]>([])
    let server = try RawServer { connection, _ in
      while let request = connection.request() {
        let limit = request.body.firstMatch(of: /"limit":"([0-9]+)"/)?.1
        let count = limits.withLock { limits in
          limits.append(String(limit ?? ""))
          return limits.count
        }
        if count > 3 { connection.answer(#"{"header":{"revision":"7"},"kvs":[{"key":"aw=="}],"count":"1"}"#) }
      }
    }
    var settings = EtcdSettings(endpoints: [server.url])
    settings.call = .seconds(1)
    var pages = try EtcdClient(settings).pages(EtcdRange(.prefix("k"), limit: 16))
    #expect(try await pages.next(about: 1 << 20)?.keyValues.map(\.key) == [Data("k")])
    #expect(limits.withLock { $0.prefix(4) } == ["16", "4", "1", "1"])
  }

  @Test func aTransactionReportsEachOperation() async throws {
    let client = try await SharedNode.client()
    let prefix = SharedNode.prefix()
    let (a, b) = (Data(prefix + "a"), Data(prefix + "b"))
    try await client.put(a, Data("1"))
    let result = try await client.transact(
      EtcdTransaction(
        compare: [
          EtcdCompare(a, .value(Data("1"))), EtcdCompare(a, .version(0), .greater),
          EtcdCompare(b, .createRevision(0)), EtcdCompare(a, .modRevision(0), .notEqual),
          EtcdCompare(a, .version(2), .less),
        ],
        success: [
          .put(b, value: Data("2"), wantsPrevious: true), .range(EtcdRange(.prefix(prefix))),
          .put(a, value: Data("3"), wantsPrevious: true), .delete(.key(b + [0]), wantsPrevious: true),
        ]))
    #expect(result.succeeded && result.results.count == 4)
    #expect(result.results[0] == .put(previous: nil))
    guard case .range(let range) = result.results[1], case .put(let previous?) = result.results[2] else {
      Issue.record("\(result)")
      return
    }
    #expect(range.keyValues.map(\.value) == [Data("1"), Data("2")])
    #expect(range.keyValues[1].modRevision == result.revision)
    #expect(previous.value == Data("1"))
    #expect(result.results[3] == .deleted(0, previous: []))
    let deletion = try await client.transact(
      EtcdTransaction(success: [.delete(.prefix(prefix), wantsPrevious: true)]))
    guard case .deleted(2, let previous)? = deletion.results.first else {
      Issue.record("\(deletion)")
      return
    }
    #expect(previous.map(\.value) == [Data("3"), Data("2")])
  }

  @Test func aFailedComparisonGivesWhatTheFailureBranchRead() async throws {
    let client = try await SharedNode.client()
    let key = Data(SharedNode.prefix())
    let old = try await client.put(key, Data("old"))
    let new = try await client.put(key, Data("new"))
    let result = try await client.transact(
      EtcdTransaction(
        compare: [EtcdCompare(key, .modRevision(old))], success: [.put(key, value: Data("mine"))],
        failure: [.range(EtcdRange(.key(key)))]))
    #expect(!result.succeeded)
    guard case .range(let range)? = result.results.first, let found = range.keyValues.first else {
      Issue.record("\(result)")
      return
    }
    #expect(found.value == Data("new") && found.modRevision == new)
  }

  @Test func aMebibyteIsTakenAndMoreThanTheLimitIsRefused() async throws {
    let client = try await SharedNode.client()
    let prefix = SharedNode.prefix()
    let value = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    // Nine of them are more than gRPC takes as one message by default.
    for number in 0..<9 { try await client.put(Data(prefix + "\(number)"), value) }
    let found = try await client.range(EtcdRange(.prefix(prefix)))
    #expect(found.keyValues.map(\.value) == Array(repeating: value, count: 9))
    let failure = await failure { () async throws(EtcdFailure) in
      try await client.put(Data(prefix), Data(count: 2 << 20))
    }
    guard case .tooLarge? = failure?.problem else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(failure?.effect == EtcdFailure.Effect.none)
    try await client.delete(.prefix(prefix))
  }

  @Test func compactedAndFutureRevisionsAreDistinguished() async throws {
    let cluster = try await EtcdCluster()
    let client = try EtcdClient(cluster.settings)
    let first = try await client.put(Data("k"), Data("1"))
    let second = try await client.put(Data("k"), Data("2"))
    try await client.compact(before: second)
    let gone = await failure { () async throws(EtcdFailure) in
      try await client.range(EtcdRange(.key("k"), revision: first))
    }
    #expect(gone?.problem == .compacted(oldest: nil))
    let future = await failure { () async throws(EtcdFailure) in
      try await client.range(EtcdRange(.key("k"), revision: second + 1))
    }
    #expect(future?.problem == .futureRevision)
    #expect(future?.endpoint == cluster.nodes[0].url)
  }

  @Test func aFullDatabaseIsReported() async throws {
    let cluster = try await EtcdCluster(options: ["--quota-backend-bytes", "2000000"])
    let client = try EtcdClient(cluster.settings)
    let value = Data(count: 500_000)
    var failed: EtcdFailure?
    for number in 0..<20 where failed == nil {
      failed = await failure { () async throws(EtcdFailure) in try await client.put(Data("k\(number)"), value)
      }
    }
    #expect(failed?.problem == .noSpace)
    #expect(failed?.effect == EtcdFailure.Effect.none)
    #expect(try await client.status().errors.count == 1)
  }

  @Test func refusedRequestsHaveAReason() async throws {
    let client = try await SharedNode.client()
    let empty = await failure { () async throws(EtcdFailure) in try await client.put(Data(), Data("x")) }
    #expect(empty?.problem == .rejected("etcdserver: key is not provided"))
    let key = Data(SharedNode.prefix())
    let twice = EtcdTransaction(success: [.put(key, value: Data()), .put(key, value: Data())])
    let refused = await failure { () async throws(EtcdFailure) in try await client.transact(twice) }
    #expect(refused?.problem == .rejected("etcdserver: duplicate key given in txn request"))
    #expect(refused?.effect == EtcdFailure.Effect.none)
  }
}
