import HubClient

let hub = Hub()
let volume = hub.value("volume", of: Int.self)

let rules = Schema(
  type: .integer, initial: .integer(4),
  minimum: .integer(0), maximum: .integer(10))
try await hub.create("volume", rules)

if let step = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) {
  do {
    print("volume: \(try await volume.add(step))")
  } catch {
    print(error)
  }
} else {
  for try await value in volume.values {
    print("volume: \(value)")
  }
}
