// Measures how long after a change a watcher of Swift Configuration has it: from a hub, beside the reading of a file.
//
//     STATEHUB=../out/bin/statehub swift run -c release config-latency

import Configuration
import Foundation
import HubClient
import HubConfiguration
import IntegrationSupport
import SystemPackage

let count = 2000
let keys = 100

func line(_ what: String, _ durations: [Duration]) {
  let sorted = durations.sorted()
  func microseconds(_ share: Double) -> String {
    let duration = sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)]
    return "\(duration.components.attoseconds / 1_000_000_000_000)"
  }
  print("\(what): p50 \(microseconds(0.5)) µs, p99 \(microseconds(0.99)) µs, of \(sorted.count)")
}

let program = try await HubProgram()
let (reader, writer) = (program.connect(), program.connect())
for key in 0..<keys { try await writer.value("app.key\(key)", of: Int.self).set(0) }
let provider = try await HubConfigProvider(hub: reader, prefix: "app")
let following = Task { try await provider.run() }
let watched = writer.value("app.key7", of: Int.self)

let seen: [Duration] = try await provider.watchValue(forKey: "key7", type: .int) { updates in
  var updates = updates.makeAsyncIterator()
  _ = try await updates.next()
  var seen: [Duration] = []
  for value in 1...count {
    let start = ContinuousClock.now
    async let written = watched.set(value)
    guard case .success(let result)? = try await updates.next(), result.value?.content == .int(value) else {
      fatalError("the watcher got something else than \(value)")
    }
    seen.append(start.duration(to: .now))
    _ = try await written
  }
  return seen
}
line("from set to a watcher in the hub's client", seen)

let file = FileManager.default.temporaryDirectory.appending(path: "config-\(UUID()).json").path
let object = Dictionary(uniqueKeysWithValues: (0..<keys).map { ("key\($0)", $0) })
try JSONEncoder().encode(["app": object]).write(to: URL(filePath: file))
var loads: [Duration] = []
for _ in 0..<count / 10 {
  let start = ContinuousClock.now
  _ = try await FileProvider<JSONSnapshot>(filePath: FilePath(file))
  loads.append(start.duration(to: .now))
}
try FileManager.default.removeItem(atPath: file)
line("reading and parsing a file of \(keys) keys, once its reload was due", loads)
following.cancel()
withExtendedLifetime(program) {}
