// Values that are longer than what a socket takes at once: watchers get them in pieces, from the change log, while they keep up.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Long values", .blocking)
struct LongValueTests {
  private static let length = 600_000
  private let directory: TemporaryDirectory
  private let hub: HubProcess
  private let writer: RawClient

  init() throws {
    directory = try TemporaryDirectory()
    // So small that it drops frames of which sockets have taken a part.
    let file = try directory.write("{ changeLogBytes: 8388608 }", to: "hub.json5")
    hub = try HubProcess(in: directory, arguments: ["--volatile", "--config", file])
    writer = try hub.connect()
  }

  /// Each value can be told from the others at every byte.
  private func value(_ number: Int) -> Value {
    .data([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: LongValueTests.length + number))
  }

  private func set(_ numbers: ClosedRange<Int>) throws {
    for number in numbers {
      guard case .written = try writer.call(.set("long", value(number))) else {
        throw TestFailure("\(number) was not written")
      }
    }
  }

  private func watcher(_ policy: WatchPolicy) throws -> RawClient {
    let client = try hub.connect()
    try client.send(.watch("long", policy: policy))
    _ = try client.eventsUntilSynced()
    return client
  }

  /// Reads until the store has this value, and returns all that came, checked to be whole.
  private func read(_ client: RawClient, until last: Int) throws -> [Int] {
    var numbers: [Int] = []
    while numbers.last != last {
      guard let state = try client.nextEvent().state, case .data(let bytes) = state.value else { continue }
      let number = bytes.count - LongValueTests.length
      #expect(state.value == value(number) && number > numbers.last ?? 0)
      numbers.append(number)
    }
    return numbers
  }

  @Test(
    "a watcher of every change that does not read gets all that the log holds, whole, and the hub copies none"
  )
  func every() throws {
    let clients = try (0..<20).map { _ in try watcher(.every) }
    try set(1...1)
    let before = hub.process.residentKilobytes
    try set(2...12)
    // The log's pages, a value and a request: not a part of each client's frame.
    #expect(hub.process.residentKilobytes - before < 11 << 10 || isSanitized)
    for client in clients { #expect(try read(client, until: 12) == Array(1...12)) }
    #expect(try statistic("catch_ups") == 0)
    try set(13...13)
    for client in clients { #expect(try read(client, until: 13) == [13]) }
  }

  @Test("what the log drops in the middle of a frame is kept once for all who have a part of it")
  func overrun() throws {
    let clients = try (0..<20).map { _ in try watcher(.latest) }
    try set(1...20)
    let before = hub.process.residentKilobytes
    try set(21...60)
    #expect(hub.process.residentKilobytes - before < 4 << 10 || isSanitized)
    for client in clients {
      let numbers = try read(client, until: 60)
      #expect(numbers.first == 1 && numbers.count <= 3, "\(numbers)")
    }
  }

  @Test(
    "what is left of a frame, and of one that the log has dropped, stays for its client",
    arguments: [3, 40], Renewal.allCases)
  func renewal(count: Int, by way: Renewal) throws {
    let clients = [try watcher(.every), try watcher(.latest)]
    try set(1...count)
    try hub.renew(writer, by: way)
    for client in clients { #expect(try read(client, until: count).first == 1) }
    try set(count + 1...count + 1)
    for client in clients { #expect(try read(client, until: count + 1) == [count + 1]) }
  }

  @Test("who goes away in the middle of a frame, or ends sending, takes nothing with it")
  func goes() throws {
    let clients = try (0..<20).map { _ in try watcher(.every) }
    try set(1...5)
    for client in clients[..<10] { client.close() }
    for client in clients[10...] { client.finishWriting() }
    try set(6...30)
    for client in clients[10...] {
      let states = try client.messagesUntilEnd().compactMap {
        if case .event(let event) = $0 { event.state } else { nil }
      }
      #expect(states.first?.value == value(1))
    }
    #expect(try statistic("unsent_bytes") == 0)
  }

  private func statistic(_ name: String) throws -> UInt64? {
    guard case .statistics(let statistics) = try writer.call(.stats) else {
      throw TestFailure("no statistics")
    }
    return statistics.first { $0.name == name }?.value
  }
}
