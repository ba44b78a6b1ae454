// The trouble behind each section of docs/troubleshooting.md: the hub, its configuration and what went wrong before.

import Glibc
import HubCore
import TestSupport

/// What has to be so before a section's transcript is run.
struct TroubleshootingStage: Sendable {
  /// What happens to the hub before the transcript.
  enum Hub { case absent, runs, ended }

  /// Settings behind the declared stores; nil: an empty configuration.
  var settings: String? = ""
  var hub = Hub.runs
  var keepsState = false
  /// The length that no file of the hub may have, in blocks of `ulimit -f`.
  var longestFile: Int?
  /// Connections that there are already.
  var clients = 0
  /// Shell, for the running hub; and then, for one that has ended, or for the files.
  var first = ""
  var then = ""

  private static let users = """
    access: [
      { match: "**", read: "anyone", write: "anyone", create: "anyone" },
      { match: "secret.**", read: [] },
    ],
    sockets: {
      web: { path: "/run/statehub/web.sock", as: "user:1000" },
      kiosk: { path: "/run/statehub/kiosk.sock", prefix: "audio", rights: ["read"] },
    },
    """
  private static let mistake = "echo '{ maxClients: 0 }' > /etc/statehub/statehub.json5"

  /// By words of the section's heading. What is not here needs nothing special.
  static let all: [String: TroubleshootingStage] = [
    "no hub listens": .init(hub: .absent),
    "did not answer": .init(then: "kill -STOP $HUB"),
    "you may not write": .init(settings: users),
    "there is no such store": .init(settings: users),
    "maxUserStores": .init(settings: users + "maxUserStores: 2"),
    "the hub serves": .init(settings: "maxClients: 1", clients: 1),
    "maxFrameBytes": .init(settings: "maxFrameBytes: 65536"),
    "persistent writes": .init(keepsState: true, longestFile: 8),
    "is damaged": .init(
      settings: nil, hub: .ended, keepsState: true, first: "statectl set mode eco; statectl set a 1",
      then: """
        cd /var/lib/statehub && file=journal-0000000000000001
        place=$(grep -abo eco $file | cut -d: -f1)
        printf x | dd of=$file bs=1 seek=$place conv=notrunc status=none
        """),
    "expected an integer": .init(hub: .absent, then: mistake),
    "not reloaded": .init(then: mistake),
    "is stopped and started": .init(
      settings: nil, then: "echo '{ maxFrameBytes: 2097152 }' > /etc/statehub/statehub.json5"),
    "gone after a restart": .init(keepsState: true),
  ]

  static func of(_ heading: String) -> TroubleshootingStage {
    all.first { heading.contains($0.key) }?.value ?? TroubleshootingStage()
  }
}

/// A stage that was set up: the places of the page are places of the test's own here.
final class TroubleshootingScene {
  private let directory: TemporaryDirectory
  private let control: Control
  private var hub: HubProcess?
  private var clients: [RawClient] = []

  init(_ stage: TroubleshootingStage) throws {
    directory = try TemporaryDirectory()
    control = Control(directory: directory, socket: directory.file("hub.sock"))
    mkdir(directory.file("etc"), 0o755)
    try start(stage)
    if !stage.first.isEmpty { try shell(stage.first) }
    if stage.hub == .ended { try hub?.terminate() }
    if !stage.then.isEmpty { try shell(stage.then) }
  }

  /// Kills the hub, and starts another one.
  func replaceHub(_ stage: TroubleshootingStage, meanwhile: () throws -> Void = {}) throws {
    hub?.kill()
    try meanwhile()
    try start(stage)
  }

  /// A text of the page, as it is here.
  func here(_ text: String) -> String {
    // The page's user is one whom no machine has.
    text.replacing(/\b1000\b/, with: "50021")
      .replacing("/run/statehub/", with: "\(directory.path)/")
      .replacing("/var/lib/statehub", with: directory.file("state"))
      .replacing("/etc/statehub", with: directory.file("etc"))
  }

  /// What a command of the page prints.
  @discardableResult
  func shell(_ command: String) throws -> String { try start(command).finished() }

  func start(_ command: String) throws -> ChildProcess {
    try control.startShell(
      """
      exec 2>&1; cd '\(directory.path)'
      export HUB=\(hub?.pid ?? 0) XDG_CONFIG_HOME="$PWD" XDG_STATE_HOME="$PWD/state-home"
      \(here(command))
      """)
  }

  /// What the hub has said itself.
  var log: String { hub?.standardError ?? "" }

  private func start(_ stage: TroubleshootingStage) throws {
    let stores = """
      stores: {
        "audio.volume": { type: "integer", minimum: 0, maximum: 10, initial: 4 },
        mode: { type: "string", choices: ["off", "eco"], initial: "off" },
      },
      """
    let path = try directory.write(
      here(stage.settings.map { "{ \(stores) \($0) }\n" } ?? "{}\n"), to: "etc/statehub.json5")
    guard stage.hub != .absent else { return }
    let place = stage.keepsState ? ["--state-dir", directory.file("state")] : ["--volatile"]
    hub = try HubProcess(
      program(stage.longestFile), in: directory, arguments: ["--config", path] + place)
    guard let hub else { return }
    // The hub's own socket takes connections before the further ones are there; it answers afterwards.
    if stage.clients == 0 { _ = try hub.connect() }
    // While the hub has not noticed that somebody has gone, its own user is beyond the limit, and may not list.
    for _ in 0..<10_000 where clients.count < stage.clients {
      guard let client = try? hub.connect(name: "statectl watch"),
        let reply = try? client.call(.list(.everything)), case .listed = reply
      else { continue }
      clients.append(client)
    }
  }

  /// The hub with a limit for its files; nil without.
  private func program(_ longestFile: Int?) throws -> String? {
    guard let longestFile else { return nil }
    let text = "#!/bin/sh\nulimit -f \(longestFile)\nexec '\(ChildProcess.built("statehub"))' \"$@\"\n"
    let draft = try directory.write(text, to: "limited.draft")
    chmod(draft, 0o755)
    return try directory.copy(draft, to: "limited")
  }
}

extension ChildProcess {
  /// What it has printed, at its end.
  fileprivate func finished() throws -> String {
    _ = try wait()
    return standardOutput
  }
}
