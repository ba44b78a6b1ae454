// Watching keys of a real etcd.

import EtcdGateway
import EtcdProcesses
import Foundation
import Testing

@Suite(.timeLimit(.minutes(3))) struct WatchTests {
  @Test func changesComeInOrderFromTheRevisionOnThatWasAskedFor() async throws {
    let client = try await SharedNode.client()
    let prefix = SharedNode.prefix()
    let key = Data(prefix + "k")
    let first = try await client.put(key, Data("1"))
    let second = try await client.put(key, Data("2"))
    let watch = try await client.watch(.prefix(prefix), from: first, wantsPrevious: true)
    #expect(watch.createdRevision >= second)
    let third = try await client.delete(.prefix(prefix))
    try await client.put(Data(SharedNode.prefix()), Data("not watched"))
    let fourth = try await client.put(key, Data("4"))
    let (a, b) = (try await watch.nextRevision(), try await watch.nextRevision())
    let (c, d) = (try await watch.nextRevision(), try await watch.nextRevision())
    #expect([a, b, c, d].map(\.number) == [first, second, third, fourth])
    #expect([a, b, c, d].map(\.events.count) == [1, 1, 1, 1])
    #expect([a, b, c, d].map { $0.events[0].isDeletion } == [false, false, true, false])
    #expect([a, b, d].map { $0.events[0].keyValue.value.text } == ["1", "2", "4"])
    #expect([a, b, c, d].map { $0.events[0].previous?.value.text } == [nil, "1", "2", nil])
    #expect(c.events[0].keyValue.key == key)
  }

  @Test func aTransactionIsOneRevision() async throws {
    let client = try await SharedNode.client()
    let prefix = SharedNode.prefix()
    let watch = try await client.watch(.prefix(prefix))
    let puts = (0..<100).map { EtcdOperation.put(Data(prefix + "\(1000 + $0)"), value: Data("\($0)")) }
    let result = try await client.transact(EtcdTransaction(success: puts))
    let revision = try await watch.nextRevision()
    #expect(revision.number == result.revision)
    #expect(revision.events.map(\.keyValue.value.text) == (0..<100).map { "\($0)" })
  }

  @Test func twoThousandEventsAreOneRevision() async throws {
    let client = try await SharedNode.client()
    let prefix = SharedNode.prefix()
    let value = Data(String(repeating: "v", count: 3000))
    var last: Int64 = 0
    for batch in 0..<20 {
      let puts = (0..<100).map {
        EtcdOperation.put(Data(prefix + "\(10000 + batch * 100 + $0)"), value: value)
      }
      last = try await client.transact(EtcdTransaction(success: puts)).revision
    }
    let watch = try await client.watch(.prefix(prefix), wantsPrevious: true)
    let deleted = try await client.delete(.prefix(prefix))
    let after = try await client.put(Data(prefix), Data("after"))
    let revision = try await watch.nextRevision()
    #expect(revision.number == deleted)
    #expect(revision.events.count == 2000)
    #expect(revision.events.map(\.keyValue.key.text) == (10000..<12000).map { prefix + "\($0)" })
    #expect(revision.events.allSatisfy { $0.isDeletion && $0.previous?.value == value })
    #expect(try await watch.nextRevision().number == after)
    // Past revisions come in other messages.
    let again = try await client.watch(.prefix(prefix), from: last, wantsPrevious: true)
    #expect(try await again.nextRevision().events.count == 100)
    #expect(try await again.nextRevision() == revision)
  }

  @Test func aBacklogOfLargeChangesArrives() async throws {
    let client = try await SharedNode.client()
    let prefix = SharedNode.prefix()
    var revisions: [Int64] = []
    for number in 0..<30 {
      revisions.append(try await client.put(Data(prefix + "\(number)"), Data(count: 1_000_000)))
    }
    let watch = try await client.watch(.prefix(prefix), from: revisions[0])
    for revision in revisions { #expect(try await watch.nextRevision().number == revision) }
  }

  @Test func aWatchFromAForgottenRevisionSaysWhichIsTheOldest() async throws {
    let cluster = try await EtcdCluster()
    let client = try EtcdClient(cluster.settings)
    let first = try await client.put(Data("k"), Data("1"))
    for number in 2...5 { try await client.put(Data("k"), Data("\(number)")) }
    try await client.compact(before: first + 3)
    let watch = try await client.watch(.key("k"), from: first)
    let end = await watch.end()
    #expect(end?.problem == .compacted(oldest: first + 3))
  }

  @Test func aCompactionDuringAWatchDoesNotEndIt() async throws {
    let cluster = try await EtcdCluster()
    let client = try EtcdClient(cluster.settings)
    let watch = try await client.watch(.key("k"))
    var revisions: [Int64] = []
    for number in 0..<50 {
      let revision = try await client.put(Data("k"), Data("\(number)"))
      revisions.append(revision)
      if number % 10 == 9 { try await client.compact(before: revision) }
    }
    for revision in revisions { #expect(try await watch.nextRevision().number == revision) }
  }

  /// A reader that does not read makes etcd wait. If a revision is compacted before it was sent, the watch fails: there is no gap.
  @Test func aWatchOvertakenByACompactionReportsIt() async throws {
    let cluster = try await EtcdCluster()
    let client = try EtcdClient(cluster.settings)
    let watch = try await client.watch(.key("k"))
    let value = Data(count: 1 << 20)
    var last: Int64 = 0
    for _ in 0..<60 { last = try await client.put(Data("k"), value) }
    try await client.compact(before: last)
    var told: [Int64] = []
    let end = await failure { () async throws(EtcdFailure) in
      while told.last != last { told.append(try await watch.nextRevision().number) }
    }
    if let end {
      guard case .compacted = end.problem else {
        Issue.record("\(end)")
        return
      }
    }
    #expect(!told.isEmpty)
    #expect(told == Array((told.first ?? 0)..<((told.first ?? 0) + Int64(told.count))))
    #expect(told.first == last - 59)
  }

  @Test func aDroppedWatchFreesItsTransfer() async throws {
    var settings = try await SharedNode.settings()
    settings.transport.transfers = 3
    let client = try EtcdClient(settings)
    for _ in 0..<20 {
      let watch = try await client.watch(.key("k"))
      #expect(watch.createdRevision > 0)
      try await eventually("there is room for another") { (try? await client.probe()) != nil }
    }
  }

  @Test func aCancelledTaskLeavesItsWatch() async throws {
    let client = try await SharedNode.client()
    let begun = Signal<Bool>()
    let task = Task {
      let watch = try await client.watch(.key(SharedNode.prefix()))
      begun.send(true)
      return await watch.end()
    }
    #expect(await begun.wait() == true)
    task.cancel()
    #expect(try await task.value?.problem == .cancelled)
  }
}
