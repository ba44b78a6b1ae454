// What one request after the other costs, by the asynchronous client and by the blocking one.

import Glibc
import HubClient
import HubCore
import HubTransport

/// Under a tool that counts: then nothing is executed but the requests.
private let isCounted = getenv("CLIENTBENCH_COUNTED") != nil

private func measure(_ count: Int, _ request: (Int) async throws -> Void) async rethrows {
  if isCounted {
    for index in 0..<count { try await request(index) }
    return say("{}")
  }
  var samples: [Int] = []
  samples.reserveCapacity(count)
  let start = Spent.now
  for index in 0..<count {
    let begin = nowNanoseconds()
    try await request(index)
    samples.append(nowNanoseconds() - begin)
  }
  report(samples, .now - start)
}

func get(_ store: SharedValue<Int>, _ count: Int) async throws {
  try await measure(count) { _ in _ = try await store.get() }
}

func put(_ store: SharedValue<Int>, _ count: Int) async throws {
  try await measure(count) { index in try await store.set(index + 1) }
}

func blocking(_ path: String, _ name: String, _ count: Int, sets: Bool) async throws {
  var hub = try HubConnection(to: .explicit(path), name: "bench")
  let store = StoreReference.name(try StoreName(name))
  try await measure(count) { index in
    _ = try hub.request(sets ? .write(.set(store, .integer(Int64(index + 1)))) : .get(store))
  }
}
