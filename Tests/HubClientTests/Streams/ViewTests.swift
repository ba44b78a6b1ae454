// Faults of views and streams that random histories have shown, each in its shortest form.

import HubCore
import HubTesting
import Synchronization
import Testing

@testable import HubClient

@Suite("What a view makes of events")
struct ViewTests {
  private let epoch = Epoch(high: 1, low: 1)

  private func state(_ id: UInt64, _ revision: Revision, _ version: UInt64, _ value: Int64 = 0) -> StoreState
  {
    StoreState(
      id: StoreID(raw: id), revision: revision, version: version, time: 0, uid: 0, value: .integer(value))
  }

  private func removal(_ id: UInt64, _ revision: Revision, _ version: UInt64, _ name: String = "a")
    -> HubEvent
  {
    .removed(
      name: name,
      HubEvent.Removal(id: StoreID(raw: id), revision: revision, version: version, time: 0, uid: 0),
      grouped: false, more: true)
  }

  /// A view that stands at `synced(10)` and knows store 1, `a`, at revision 4.
  private func view() -> WatchView {
    var view = WatchView()
    _ = view.open(epoch: epoch)
    _ = view.apply(.current(name: "a", state(1, 4, 2)))
    _ = view.apply(.synced(revision: 10))
    return view
  }

  @Test("a store that came and went unseen is shown as removed, once, with its changes as skipped")
  func unseenStores() {
    var view = view()
    _ = view.open(epoch: epoch)
    #expect(view.apply(removal(1, 11, 3))?.kind == .removed)
    let unseen = view.apply(removal(2, 13, 2))
    #expect(unseen?.kind == .removed && unseen?.skipped == 1)
    _ = view.open(epoch: epoch)
    #expect(view.apply(removal(1, 11, 3)) == nil)
    #expect(view.apply(removal(2, 13, 2)) == nil)
    #expect(view.apply(.current(name: "a", state(3, 15, 2)))?.skipped == 1)
  }

  @Test("the changes of stores that came and went unseen are counted, also if a synced follows")
  func unseenBeforeSynced() {
    var view = view()
    _ = view.apply(removal(1, 11, 3))
    let unseen = [(2, 13), (3, 15), (4, 17)].map { id, revision in
      let event = view.apply(removal(UInt64(id), UInt64(revision), 4))
      _ = view.apply(.synced(revision: UInt64(revision)))
      return event?.skipped
    }
    #expect(unseen == [3, 3, 3])
    #expect(view.apply(.current(name: "a", state(5, 19, 2)))?.skipped == 1)
  }

  @Test("what the hub goes through again after a loss is not shown again")
  func repeated() {
    var view = view()
    _ = view.open(epoch: epoch)
    #expect(view.apply(.current(name: "b", state(2, 12, 1)))?.kind == .changed)
    #expect(view.apply(removal(2, 13, 2, "b"))?.kind == .removed)
    _ = view.open(epoch: epoch)
    #expect(view.apply(.current(name: "b", state(2, 12, 1))) == nil)
    // Older than the bookmark: it has gone since.
    #expect(view.apply(.current(name: "c", state(9, 7, 1))) == nil)
  }

  @Test("a synced that the view is ahead of promises nothing")
  func aheadOfSynced() {
    var view = view()
    _ = view.open(epoch: epoch)
    _ = view.apply(.current(name: "a", state(1, 20, 5)))
    _ = view.open(epoch: epoch)
    #expect(view.apply(.synced(revision: 15)) == nil)
    #expect(view.apply(.synced(revision: 20))?.revision == 20)
  }

  @Test("a view that has shown nothing takes a new epoch's smaller revisions")
  func smallerRevisions() {
    var view = WatchView()
    _ = view.open(epoch: epoch)
    _ = view.apply(removal(1, 30, 2))
    #expect(view.open(epoch: Epoch(high: 2, low: 2)) == nil)
    #expect(view.apply(.synced(revision: 2))?.kind == .synced)
  }

  @Test("nonsensical numbers crash nothing")
  func nonsense() {
    var view = view()
    for version in [0, 1, UInt64.max] {
      _ = view.apply(removal(77, .max, version))
      _ = view.apply(.current(name: "z\(version)", state(version, 0, version)))
      _ = view.apply(
        .created(name: "y", Schema(type: .integer), state(5, .max, version), grouped: false, more: false))
      _ = view.apply(.synced(revision: 0))
      _ = view.apply(.synced(revision: .max))
      _ = view.apply(.forget(epoch, revision: .max))
    }
  }

  // MARK: Queues

  private func event(
    _ kind: StoreEvent.Kind, _ revision: Revision, _ version: UInt64, skipped: UInt64 = 0,
    isLast: Bool = true,
    isRepeat: Bool = false
  ) -> StoreEvent {
    var event = StoreEvent(
      kind, name: "a", value: kind == .synced || kind == .reset ? nil : .integer(Int64(version)),
      revision: revision,
      epoch: epoch, version: version, skipped: skipped)
    event.isLast = isLast
    event.isRepeat = isRepeat
    return event
  }

  @Test("what a reset brings again is not counted as skipped")
  func countsBehindReset() {
    var queue = EventQueue(.latest(), isSingle: true)
    queue.push(event(.initial, 10, 4))
    #expect(queue.pop()?.version == 4)
    queue.push(event(.reset, 0, 0))
    queue.push(event(.initial, 9, 3, isRepeat: true))
    queue.push(event(.changed, 10, 4, isRepeat: true))
    queue.push(event(.changed, 20, 7, skipped: 2))
    #expect(queue.pop()?.kind == .reset)
    #expect(queue.pop()?.skipped == 2)
  }

  @Test("a synced does not move past a change that is not the last of its revision")
  func syncedWithinTransaction() {
    var queue = EventQueue(.latest(), isSingle: true)
    queue.push(event(.changed, 4, 1))
    queue.push(event(.synced, 5, 0))
    queue.push(event(.changed, 9, 2, isLast: false))
    #expect(queue.pop()?.version == 2)
    #expect(queue.pop() == nil)
  }

  // MARK: Streams

  @Test("a value that is set twice in one transaction ends a stream of values on the last")
  func twiceInOneTransaction() async throws {
    let hub = Hub.inMemory()
    let number = hub.value("number", of: Int.self)
    var values = number.values(.every(limit: 10)).makeAsyncIterator()
    try await hub.transaction {
      $0.set(number, to: 1)
      $0.set(number, to: 2)
    }
    #expect(try await values.next() == 1)
    #expect(try await values.next() == 2)
  }

  @Test("a costly value is decoded once for all streams")
  func decodedOnce() async throws {
    let hub = Hub.inMemory()
    let value = hub.value("counted", of: Counted.self)
    var streams = (0..<20).map { _ in value.values.makeAsyncIterator() }
    try await value.set(Counted(number: 1))
    let before = Counted.decodings.load(ordering: .relaxed)
    for index in streams.indices { #expect(try await streams[index].next()?.number == 1) }
    #expect(Counted.decodings.load(ordering: .relaxed) == before + 1)
  }
}

private struct Counted: Codable, Sendable {
  var number: Int
  static let decodings = Atomic(0)

  init(number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
    Counted.decodings.add(1, ordering: .relaxed)
  }
}
