// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

var settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Only in continuous integration are warnings errors: the new warnings of a newer compiler must not stop anyone else.
if Context.environment["STATEHUB_STRICT"] != nil {
  settings.append(.treatAllWarnings(as: .error))
}

/// The library targets never name a package: the dependency list stays empty, for good.
let package = Package(
  name: "statehub",
  products: [
    .library(name: "HubClient", targets: ["HubClient"]),
    .library(name: "HubTesting", targets: ["HubTesting"]),
    // The blocking connection, with the requests that it sends.
    .library(name: "HubTransport", targets: ["HubTransport", "HubCore"]),
    .library(name: "HubReducers", targets: ["HubReducers"]),
    .library(name: "HubReducersTesting", targets: ["HubReducersTesting"]),
    .library(name: "HubReducersSamples", targets: ["HubReducersSamples"]),
    .executable(name: "statehub", targets: ["statehub"]),
    .executable(name: "statectl", targets: ["statectl"]),
    .executable(name: "demo", targets: ["demo"]),
  ],
  targets: [
    .target(name: "CLinux"),
    .target(name: "HubSystem", dependencies: ["CLinux"], swiftSettings: settings),
    .target(name: "HubCore", swiftSettings: settings),
    .target(name: "HubEngine", dependencies: ["HubCore"], swiftSettings: settings),
    .target(name: "HubServer", dependencies: ["HubEngine", "HubCore", "HubSystem"], swiftSettings: settings),
    .target(name: "HubTransport", dependencies: ["HubCore", "HubSystem"], swiftSettings: settings),
    .target(
      name: "HubClient", dependencies: ["HubTransport", "HubCore", "HubSystem"], swiftSettings: settings),
    // Apart, so that a program does not compile the engine. Tests do.
    .target(
      name: "HubTesting", dependencies: ["HubClient", "HubTransport", "HubEngine", "HubCore"],
      swiftSettings: settings),
    .target(
      name: "HubReducers", dependencies: ["HubClient", "HubCore", "HubSystem", "HubMacrosPlugin"],
      swiftSettings: settings),
    .target(
      name: "HubReducersTesting", dependencies: ["HubReducers", "HubTesting", "HubSystem"],
      swiftSettings: settings),
    // Apart, so that code which is written after the articles meets no declarations but its own.
    .target(name: "HubReducersSamples", dependencies: ["HubReducers"], swiftSettings: settings),
    // Apart from the plugin: tests of a macro target make SwiftPM build all that the package's tests need twice.
    .target(name: "HubMacros", swiftSettings: settings),
    .macro(name: "HubMacrosPlugin", dependencies: ["HubMacros"], swiftSettings: settings),
    .executableTarget(
      name: "statehub", dependencies: ["HubServer", "HubEngine", "HubCore", "HubSystem"],
      swiftSettings: settings),
    .executableTarget(
      name: "statectl", dependencies: ["HubTransport", "HubCore", "HubSystem"], swiftSettings: settings),
    .executableTarget(
      name: "demo", dependencies: ["statehub", "HubClient", "HubSystem"], swiftSettings: settings),
    .executableTarget(
      name: "shared-counter", dependencies: ["HubReducers"], path: "Examples/SharedCounter",
      swiftSettings: settings),
    .executableTarget(
      name: "sync-ups", dependencies: ["HubReducers"], path: "Examples/SyncUps", swiftSettings: settings),
    .executableTarget(
      name: "heartbeat", dependencies: ["HubClient"], path: "Examples/Heartbeat", swiftSettings: settings),
    .systemLibrary(name: "CEpoll", path: "Examples/CEpoll"),
    .executableTarget(
      name: "event-loop", dependencies: ["HubClient", "CEpoll"], path: "Examples/EventLoop",
      swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["HubCore", "HubClient", "CLinux"], path: "Tests/TestSupport",
      swiftSettings: settings),
    // The engine answers the vectors' requests.
    .testTarget(
      name: "HubCoreTests", dependencies: ["HubEngine", "HubCore", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "HubEngineTests", dependencies: ["HubEngine", "HubCore", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "HubSystemTests", dependencies: ["HubSystem", "CLinux", "TestSupport", "ConfinedWorker"],
      swiftSettings: settings),
    .testTarget(
      name: "HubServerTests",
      dependencies: [
        "HubServer", "HubEngine", "HubCore", "HubSystem", "CLinux", "TestSupport", "statehub",
        "ConfinedWorker",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HubClientTests",
      dependencies: [
        "HubClient", "HubTesting", "HubTransport", "HubEngine", "HubCore", "HubSystem", "CLinux",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HubReducersTests",
      dependencies: [
        "HubReducers", "HubReducersTesting", "HubReducersSamples", "HubTesting", "HubCore", "TestSupport",
        "statehub",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SyncUpsTests", dependencies: ["sync-ups", "HubReducers", "HubReducersTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "HubMacrosTests", dependencies: ["HubMacros", "TestSupport"], exclude: ["Fixtures"],
      swiftSettings: settings),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "HubClient", "HubTesting", "HubReducers", "HubReducersTesting", "HubReducersSamples", "TestSupport",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "ConformanceAdapter", dependencies: ["HubClient", "HubCore"], path: "Tools/conformance/swift",
      swiftSettings: settings),
    .executableTarget(
      name: "HubWorker", dependencies: ["HubClient", "HubTransport", "HubCore", "CLinux"],
      path: "Tests/HubWorker",
      swiftSettings: settings),
    .executableTarget(
      name: "ConfinedWorker", dependencies: ["HubSystem", "CLinux"], path: "Tests/ConfinedWorker",
      swiftSettings: settings),
    .target(
      name: "DurabilityHistory", dependencies: ["HubCore", "TestSupport"], path: "Tools/durability/History",
      swiftSettings: settings),
    .executableTarget(
      name: "durability",
      dependencies: ["DurabilityHistory", "HubClient", "HubTransport", "HubCore", "TestSupport", "statehub"],
      path: "Tools/durability/Program", swiftSettings: settings),
    .testTarget(
      name: "DurabilityTests",
      dependencies: ["DurabilityHistory", "HubCore", "TestSupport", "durability", "statehub", "statectl"],
      swiftSettings: settings),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "HubClient", "HubTransport", "HubEngine", "HubCore", "HubSystem", "CLinux", "TestSupport", "statehub",
        "statectl", "demo",
        "HubWorker", "HubReducersSamples", "shared-counter", "sync-ups", "heartbeat", "event-loop",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
