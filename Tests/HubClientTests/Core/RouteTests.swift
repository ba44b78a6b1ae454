// Which watches the events of a store go to, and what the core forgets when they end.

import HubCore
import Testing

@testable import HubClient

@Suite("The way of an event to its watches")
struct RouteTests {
  private let client = ConnectedCore()

  init() { client.connect() }

  /// A confirmed watch.
  private func watch(_ pattern: String) throws -> EventStream {
    let stream = try client.open(pattern, .every(limit: 100))
    try client.confirm(stream)
    return stream
  }

  private func revisions(_ stream: EventStream) throws -> [Revision] {
    var found: [Revision] = []
    while case .event(let shared) = try stream.take() { found.append(shared.event.revision) }
    return found
  }

  @Test("an event goes to each watch that covers its store, and after one has ended to the others")
  func delivery() throws {
    let (one, all) = (try watch("a"), try watch("*"))
    client.current(1, "a", 1)
    client.change(1, 2)
    let shown = (try revisions(one), try revisions(all))
    #expect(shown == ([1, 2], [1, 2]))
    client.core.close(one, &client.effects)
    client.change(1, 3)
    #expect(try revisions(all) == [3])
    #expect(client.core.routes[1]?.subscriptions.count == 1, "the ended watch is let go")
  }

  @Test("a store is forgotten with the last watch that covers it")
  func forgetting() throws {
    let (one, all) = (try watch("a"), try watch("*"))
    client.current(1, "a", 1)
    client.current(2, "b", 2)
    #expect(client.core.routes.count == 2)
    client.core.close(all, &client.effects)
    #expect(client.core.routes.keys.map { $0 } == [1])
    client.core.close(one, &client.effects)
    #expect(client.core.routes.isEmpty)
  }
}
