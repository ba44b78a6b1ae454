// swift-tools-version: 6.2
import PackageDescription

/// The measurements of the Swift client. They depend on the project, never the other way round.
let package = Package(
  name: "client-benchmarks",
  dependencies: [.package(name: "statehub", path: "../../..")],
  targets: [
    .executableTarget(name: "cpeer"),
    .executableTarget(
      name: "clientbench",
      dependencies: [
        .product(name: "HubClient", package: "statehub"), .product(name: "HubTransport", package: "statehub"),
      ],
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
  ],
  swiftLanguageModes: [.v6]
)
