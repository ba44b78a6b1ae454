import HubClient

let hub = Hub()
let volume = hub.value("volume", of: Int.self)

try await volume.set(4)
print("volume: \(try await volume.get())")
