import HubClient

let hub = Hub()
let volume = hub.value("volume", of: Int.self)
