// Serves a store of the hub as a page that changes with it.
//
//     hub-page audio.volume 8080

import HubClient
import HubLifecycle
import HubPage
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

let arguments = CommandLine.arguments.dropFirst()
let store = arguments.first ?? "audio.volume"
let port = arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
let hub = Hub()
let server = Application(
  router: hubPage(hub, store: store), configuration: .init(address: .hostname("127.0.0.1", port: port)),
  onServerRunning: { channel in print("http://127.0.0.1:\(channel.localAddress?.port ?? port)") })
let group = ServiceGroup(
  services: [hub, server], gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "hub-page"))
try await group.run()
