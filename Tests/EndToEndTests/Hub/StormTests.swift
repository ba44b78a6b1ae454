// The real hub under many connections at once: storms of sets, ten thousand watchers, one that does not read.

import FoundationEssentials
import Glibc
import HubCore
import TestSupport
import Testing

@Suite(.blocking, .serialized) struct StormTests {
  private func watch(_ client: RawClient, _ patterns: [String], _ policy: WatchPolicy = .latest) throws {
    try client.send(.watch(try patterns.map { try NamePattern($0) }, policy: policy))
  }

  private func set(_ name: String, _ value: Int64) throws -> Request {
    .write(.set(.name(try StoreName(name)), .integer(value)))
  }

  @Test("Race-free: watchers that open during a storm of sets see a first value, and then no gap")
  func raceFree() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let writer = try hub.connect()
    _ = try writer.call(set("n", 0))
    var watchers: [RawClient] = []
    var next: Int64 = 1
    for round in 0..<200 {
      // The writer takes its replies late: its sets are on their way while watchers open.
      for _ in 0..<25 {
        try writer.send(set("n", next))
        next += 1
      }
      defer { _ = try? writer.call(.ping) }
      if round % 4 == 0 {
        let watcher = try hub.connect()
        try watch(watcher, ["n"], .every)
        watchers.append(watcher)
      }
    }
    let last = next - 1
    for watcher in watchers {
      var version: UInt64?
      while true {
        switch try watcher.nextEvent() {
        case .current(_, let state):
          // The first value, or the next one while the watch is introduced to the store.
          if let version { #expect(state.version == version + 1) }
          version = state.version
          if state.value == .integer(last) { break } else { continue }
        case .change(let state, _, _):
          #expect(state.version == version.map { $0 + 1 })
          version = state.version
          if state.value == .integer(last) { break } else { continue }
        default: continue
        }
        break
      }
    }
  }

  @Test("Latest: ten thousand connections watch one store, and all of them end on its final value")
  func tenThousand() throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    let count = min(10_000, Int(limit.rlim_cur) - 500)
    try #require(count > 1000, "the descriptor limit of this machine is too low for this test")
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let writer = try hub.connect()
    _ = try writer.call(set("n", 0))
    var watchers: [RawClient] = []
    for _ in 0..<count {
      let watcher = try RawClient(to: hub.socket)
      try watcher.send(.hello(name: "one of many"))
      try watch(watcher, ["n"])
      watchers.append(watcher)
    }
    for value in 1...20 { try writer.send(set("n", Int64(value))) }
    for watcher in watchers {
      var value: Value?
      while value != .integer(20) {
        switch try watcher.nextEvent() {
        case .current(_, let state), .change(let state, _, _): value = state.value
        default: continue
        }
      }
    }
    guard case .pong = try writer.call(.ping) else { return #expect(Bool(false), "the hub does not answer") }
  }

  @Test(
    "a snapshot of 10,000 stores arrives whole at a slow reader, while they change, without growing the hub")
  func slowSnapshot() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let writer = try hub.connect()
    let count = 10_000
    let text = String(repeating: "x", count: 100)
    for number in 0..<count {
      try writer.send(.write(.set(.name(try StoreName("s.n\(number)")), .string(text))))
      if number % 500 == 0 { _ = try writer.call(.ping) }
    }
    guard case .pong = try writer.call(.ping) else { return }
    // The change log fills its ring before anything is measured.
    for number in 0..<40_000 {
      try writer.send(.write(.set(.name(try StoreName("s.n\(number % count)")), .string(text + "\(number)"))))
      if number % 500 == 0 { _ = try writer.call(.ping) }
    }
    let before = try residentBytes(hub.pid)
    let reader = try hub.connect()
    try watch(reader, ["s.*"])
    var names: [StoreID: String] = [:]
    var versions: [StoreID: UInt64] = [:]
    var events = 0
    var peak = 0
    reading: while true {
      switch try reader.nextEvent() {
      case .current(let name, let state):
        names[state.id] = name
        versions[state.id] = state.version
      case .change(let state, _, _):
        #expect(names[state.id] != nil, "a change of a store whose name was not told")
        versions[state.id] = state.version
      case .synced: break reading
      default: continue
      }
      events += 1
      if events % 500 == 0 {
        // Between two sips of the reader everything changes again, within what the ring holds and beyond.
        for number in 0..<200 {
          let store = try StoreName("s.n\((events * 7 + number * 31) % count)")
          try writer.send(.write(.set(.name(store), .string(text + "\(events)-\(number)"))))
        }
        _ = try writer.call(.ping)
        peak = max(peak, try residentBytes(hub.pid))
      }
    }
    #expect(Set(names.values).count == count)
    #expect(peak - before < 4 << 20 || isSanitized, "the hub grew by \(peak - before) bytes")
  }

  @Test(
    "Honest: one that does not read among 1,000 live watchers delays no one, costs no memory, and learns what it skipped"
  )
  func notReading() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let writer = try hub.connect()
    _ = try writer.call(set("n", 0))
    let stopped = try hub.connect()
    try watch(stopped, ["n"])
    var live: [RawClient] = []
    for _ in 0..<1000 {
      let watcher = try hub.connect()
      try watch(watcher, ["n"])
      _ = try watcher.eventsUntilSynced()
      live.append(watcher)
    }
    _ = try stopped.eventsUntilSynced()
    let before = try residentBytes(hub.pid)
    let rounds: Int64 = 400
    for value in 1...rounds {
      _ = try writer.call(set("n", value))
      for watcher in live {
        guard case .change(let state, _, _) = try watcher.nextEvent() else { continue }
        #expect(state.value == .integer(value))
      }
    }
    let after = try residentBytes(hub.pid)
    #expect(after - before < 2 << 20 || isSanitized, "the hub grew by \(after - before) bytes")
    guard case .clients(let clients, _) = try writer.call(.clients()) else { return }
    #expect(clients.contains { $0.behind }, "nobody was behind: the test has shown nothing")
    var version: UInt64 = 1
    var skipped: UInt64 = 0
    var value: Value?
    while value != .integer(rounds) {
      switch try stopped.nextEvent() {
      case .change(let state, _, _), .current(_, let state):
        skipped += state.version - version - 1
        version = state.version
        value = state.value
      default: continue
      }
    }
    #expect(skipped > 0 && version == UInt64(rounds) + 1)
  }

  private func residentBytes(_ pid: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
    guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw TestFailure("/proc/\(pid)/statm says nothing")
    }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
