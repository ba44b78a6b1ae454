// Every setting gets where it must: from the configuration into the options, and through an image. The types themselves say
// which settings exist, so that a new one cannot be forgotten.

import HubCore
import HubEngine
import HubSystem
import TestSupport
import Testing

@testable import HubServer

@Suite("Settings through an image", .blocking)
struct SettingsImageTests {
  /// Facts about the process and the program that reads the image; they are not inherited.
  private static let derived: Set<String> = [
    "engine.release", "engine.pid", "engine.uid", "engine.gid", "engine.access", "engine.canReload",
    "engine.journals", "engine.stepWork", "engine.longFrame", "notes",
  ]

  /// Every setting with a value other than its default.
  private static var unusual: ServerOptions {
    var settings = ServerOptions(socketPath: "/run/unusual/hub.sock", isSystem: true)
    settings.maxClients = 78
    settings.maxUserClients = 79
    settings.userConnectsPerSecond = 80
    settings.socketGroup = 9
    settings.heldBytes = 1 << 20
    settings.stopMilliseconds = 1234
    settings.handshakeTimeoutMilliseconds = 4321
    settings.logLevel = .debug
    settings.usesSandbox = false
    settings.sockets = [SocketOptions(name: "plain"), unusualSocket]
    settings.stateDirectory = "/var/lib/unusual"
    settings.providers = [
      ProviderDeclaration(
        try! StoreName("dev"), [try! NamePattern("dev.**")], users: [.init(uid: 7, name: "seven")],
        description: "devices")
    ]
    settings.snapshotThresholdBytes = 99_999
    settings.declarations = SampleHub.settings.declarations
    settings.access = AccessRules(
      defaultAccess: .members,
      rules: [
        AccessRule(
          .everything,
          [
            AccessGrant(.anyone, .read), AccessGrant(.owner, [.write, .remove]), AccessGrant(.hub, .define),
            AccessGrant(.members, .create), AccessGrant(.user(7, name: "seven"), .all),
            AccessGrant(.group(8, name: "8"), []),
            AccessGrant(.program(AccessProgram(.unit, "a.service")), .read),
            AccessGrant(.program(AccessProgram(.app, "b", of: .init(uid: 7, name: "seven"))), .write),
          ], origin: "access[0]")
      ])
    settings.engine.requiresDeclaration = true
    settings.engine.maximumFrameLength = 70_000
    settings.engine.changeLogBytes = 123_456
    settings.engine.historyBytes = 12_345
    settings.engine.maximumStores = 55
    settings.engine.maximumUserStores = 54
    settings.engine.maximumMemory = 55_555_555
    settings.engine.maximumUserMemory = 5_555_555
    settings.engine.maximumWatches = 77
    settings.engine.rememberedRemovals = 88
    settings.engine.defaultDurability = .synced
    return settings
  }

  private static var unusualSocket: SocketOptions {
    var socket = SocketOptions(name: "web")
    socket.path = "/run/unusual/web.sock"
    socket.mode = 0o640
    socket.group = 7
    socket.prefix = try? StoreName("ct.web")
    socket.rights = [.read, .write]
    socket.user = SocketLimit.User(uid: 8, gid: 9, groups: [9, 10], name: "eight")
    return socket
  }

  /// Each setting by its name, as text.
  private func values(_ settings: ServerOptions) -> [String: String] {
    var values: [String: String] = [:]
    for child in Mirror(reflecting: settings).children {
      let name = child.label ?? ""
      if let engine = child.value as? HubEngine.Options {
        for child in Mirror(reflecting: engine).children {
          values["\(name).\(child.label ?? "")"] = "\(child.value)"
        }
      } else {
        values[name] = "\(child.value)"
      }
    }
    return values
  }

  private func throughImage(_ settings: ServerOptions) throws -> ServerOptions {
    var server = ServerImage()
    server.settings = settings
    let file = try ImageFile.write { server.write(to: &$0) }
    return try ImageFile.read(file.raw) { (image) throws(ImageError) in
      try ServerImage(reading: ImageHeader.body(of: image)).settings
    }
  }

  @Test("each comes out as it went in, whichever it is")
  func each() throws {
    let standard = values(ServerOptions(socketPath: "", isSystem: false))
    let wanted = values(Self.unusual)
    let found = values(try throughImage(Self.unusual))
    #expect(standard.count >= 14)
    for (name, value) in wanted where !Self.derived.contains(name) {
      #expect(value != standard[name], "\(name): give it an unusual value here")
      #expect(found[name] == value, "\(name) is not in the image")
    }
    #expect(Self.derived.isSubset(of: wanted.keys))
  }

  @Test("and so does each default")
  func defaults() throws {
    let settings = ServerOptions(socketPath: "", isSystem: false)
    #expect(try throughImage(settings) == settings)
  }
}

@Suite("Settings of a configuration", .blocking)
struct SettingsOfConfigurationTests {
  /// Texts, each of which differs from a setting's default.
  private static let unusual = [
    "socket": "'/run/other.sock'", "requireDeclaration": "true", "logLevel": "'error'",
    "changeLogBytes": "65537",
    "maxFrameBytes": "65537", "snapshotThresholdBytes": "65537", "maxClients": "17", "maxStores": "17",
    "handshakeTimeoutMilliseconds": "5000", "durability": "'synced'", "stateDirectory": "'/var/lib/other'",
    "maxUserClients": "17", "userConnectsPerSecond": "17", "defaultAccess": "'closed'",
    "access": "[{ match: 'a.**', read: 'anyone' }]", "sandbox": "false",
    "sockets": "{ web: { path: '/run/web.sock' } }", "maxUserStores": "17", "maxMemoryBytes": "1048577",
    "maxUserMemoryBytes": "65537", "historyBytes": "17", "providers": "{ a: { stores: 'b' } }",
    "stores": "{ a: { type: 'integer' } }", "socketGroup": "'4711'",
  ]

  @Test("each changes one of the hub's settings, and no other", arguments: Setting.keys)
  func each(key: String) throws {
    let text = try #require(Self.unusual[key], "give the new setting an unusual value here")
    #expect(changes(try read("{ \(key): \(text) }"), standard) == 1)
  }

  private func changes(_ first: ServerOptions, _ second: ServerOptions) -> Int {
    func texts(_ value: Any) -> [String] { Mirror(reflecting: value).children.map { "\($0.value)" } }
    func differences(_ first: Any, _ second: Any) -> Int {
      zip(texts(first), texts(second)).count { $0 != $1 }
    }
    // The engine's options are one of the server's.
    let isEngineChanged = first.engine == second.engine ? 0 : 1
    return differences(first, second) - isEngineChanged + differences(first.engine, second.engine)
  }
}
