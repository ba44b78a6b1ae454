// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The hub in the conventions of Swift's server libraries. They depend on the project, never the other way round: a program
/// that needs only the hub fetches none of these packages.

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (ProcessInfo.processInfo.environment["STATEHUB_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : [])

let hub = Target.Dependency.product(name: "HubClient", package: "statehub")
let testing = Target.Dependency.product(name: "HubTesting", package: "statehub")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let lifecycleTesting = Target.Dependency.product(
  name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
]
let reducers = Target.Dependency.product(name: "HubReducers", package: "statehub")
let reducersTesting = Target.Dependency.product(name: "HubReducersTesting", package: "statehub")
let tracing: [Target.Dependency] = [
  .product(name: "Tracing", package: "swift-distributed-tracing"),
  .product(name: "Instrumentation", package: "swift-distributed-tracing"),
]
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")

let package = Package(
  name: "statehub-integrations",
  products: [
    .library(name: "HubConfiguration", targets: ["HubConfiguration"]),
    .library(name: "HubLifecycle", targets: ["HubLifecycle"]),
    .library(name: "HubLogging", targets: ["HubLogging"]),
    .library(name: "HubMetrics", targets: ["HubMetrics"]),
    .library(name: "HubTracing", targets: ["HubTracing"]),
    .library(name: "HubFlags", targets: ["HubFlags"]),
    .library(name: "HubNIO", targets: ["HubNIO"]),
  ],
  dependencies: [
    .package(name: "statehub", path: ".."),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
  ],
  targets: [
    .target(name: "HubMirror", dependencies: [hub, lifecycle], swiftSettings: settings),
    .target(
      name: "HubConfiguration", dependencies: ["HubMirror", hub, configuration, lifecycle],
      swiftSettings: settings),
    .target(name: "HubLifecycle", dependencies: [hub, lifecycle], swiftSettings: settings),
    .target(
      name: "HubLogging", dependencies: ["HubMirror", hub, lifecycle, logging], swiftSettings: settings),
    .target(name: "HubMetrics", dependencies: [hub, lifecycle, metrics], swiftSettings: settings),
    .target(name: "HubTracing", dependencies: [reducers, hub] + tracing, swiftSettings: settings),
    .target(name: "HubFlags", dependencies: ["HubMirror", hub, lifecycle], swiftSettings: settings),
    .target(name: "HubNIO", dependencies: ["HubLifecycle", hub, lifecycle] + nio, swiftSettings: settings),
    .executableTarget(
      name: "nio-board", dependencies: ["HubNIO", hub] + nio, path: "Examples/Board", swiftSettings: settings),
    .executableTarget(
      name: "lamp-daemon",
      dependencies: [
        "HubConfiguration", "HubLifecycle", "HubLogging", "HubMetrics", hub, configuration, lifecycle,
        signals, logging, metrics,
      ], path: "Examples/Daemon", swiftSettings: settings),
    .executableTarget(
      name: "flag-example", dependencies: ["HubFlags", hub], path: "Examples/Flags", swiftSettings: settings),
    .executableTarget(
      name: "config-latency",
      dependencies: [
        "HubConfiguration", "IntegrationSupport", hub, configuration,
        .product(name: "SystemPackage", package: "swift-system"),
      ], path: "Benchmarks/ConfigLatency", swiftSettings: settings),
    .target(
      name: "IntegrationSupport", dependencies: [hub, lifecycle], path: "Tests/IntegrationSupport",
      swiftSettings: settings),
    .testTarget(
      name: "HubConfigurationTests",
      dependencies: [
        "HubConfiguration", "HubMirror", "IntegrationSupport", hub, testing, configuration, lifecycle,
        lifecycleTesting,
        .product(name: "ConfigurationTesting", package: "swift-configuration"),
      ], swiftSettings: settings),
    .testTarget(
      name: "HubLifecycleTests",
      dependencies: [
        "HubLifecycle", hub, testing, lifecycle, lifecycleTesting, logging,
      ], swiftSettings: settings),
    .testTarget(
      name: "HubLoggingTests",
      dependencies: [
        "HubLogging", "IntegrationSupport", hub, testing, lifecycle, lifecycleTesting, logging,
        .product(name: "InMemoryLogging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HubMetricsTests",
      dependencies: [
        "HubMetrics", hub, testing, lifecycle, lifecycleTesting, metrics,
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HubTracingTests",
      dependencies: [
        "HubTracing", "IntegrationSupport", hub, reducers, reducersTesting,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ] + tracing, swiftSettings: settings),
    .testTarget(
      name: "HubFlagsTests", dependencies: ["HubFlags", "IntegrationSupport", hub, testing],
      swiftSettings: settings),
    .testTarget(
      name: "HubNIOTests",
      dependencies: ["HubNIO", "IntegrationSupport", hub, lifecycle, lifecycleTesting] + nio,
      swiftSettings: settings),
    .testTarget(
      name: "ExampleTests", dependencies: ["IntegrationSupport", "lamp-daemon", hub], swiftSettings: settings),
    .testTarget(
      name: "PageTests",
      dependencies: [
        "HubConfiguration", "HubLifecycle", "HubLogging", "HubMetrics", "HubTracing", "HubFlags", "HubNIO",
        hub, reducers, configuration, lifecycle, signals, logging,
      ] + nio + tracing, swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
