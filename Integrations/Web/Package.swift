// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// An example for Hummingbird, whose packages take minutes to build: a package of its own, so that the others do not wait for it.

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (ProcessInfo.processInfo.environment["STATEHUB_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : [])

let dependencies: [Target.Dependency] = [
  .product(name: "HubClient", package: "statehub"),
  .product(name: "HubLifecycle", package: "statehub-integrations"),
  .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
  .product(name: "UnixSignals", package: "swift-service-lifecycle"),
]

let package = Package(
  name: "hub-page",
  dependencies: [
    .package(name: "statehub", path: "../.."),
    .package(name: "statehub-integrations", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .target(name: "HubPage", dependencies: dependencies, swiftSettings: settings),
    .executableTarget(
      name: "hub-page", dependencies: dependencies + ["HubPage"], path: "Sources/Program",
      swiftSettings: settings),
    .testTarget(
      name: "HubPageTests",
      dependencies: dependencies + [
        "HubPage", .product(name: "HubTesting", package: "statehub"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
