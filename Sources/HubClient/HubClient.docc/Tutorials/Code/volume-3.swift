import HubClient

let hub = Hub()
let volume = hub.value("volume", of: Int.self)

for try await value in volume.values {
  print("volume: \(value)")
}
