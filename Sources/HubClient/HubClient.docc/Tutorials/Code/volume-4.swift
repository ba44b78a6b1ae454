import HubClient

let hub = Hub()
let volume = hub.value("volume", of: Int.self)

let rules = Schema(
  type: .integer, initial: .integer(4),
  minimum: .integer(0), maximum: .integer(10))
try await hub.create("volume", rules)

for try await value in volume.values {
  print("volume: \(value)")
}
