// swift-tools-version: 6.2
import PackageDescription

/// Somebody else's package: it depends on this checkout as any program does on a library.
let package = Package(
  name: "DependsOnStatehub",
  dependencies: [.package(name: "statehub", path: "../../..")],
  targets: [
    .executableTarget(name: "Example", dependencies: [.product(name: "HubClient", package: "statehub")]),
    // What the tutorials end with: links to their files.
    .executableTarget(
      name: "VolumeTutorial", dependencies: [.product(name: "HubClient", package: "statehub")]),
    .target(name: "Fan", dependencies: [.product(name: "HubReducers", package: "statehub")]),
    .executableTarget(
      name: "FanProgram", dependencies: ["Fan", .product(name: "HubReducers", package: "statehub")]),
    .testTarget(
      name: "FanTests", dependencies: ["Fan", .product(name: "HubReducersTesting", package: "statehub")]),
    .target(
      name: "CounterFeature",
      dependencies: [
        .product(name: "HubReducers", package: "statehub"),
        .product(name: "HubReducersSamples", package: "statehub"),
      ]),
    .testTarget(
      name: "CounterTests",
      dependencies: ["CounterFeature", .product(name: "HubReducersTesting", package: "statehub")]),
    .testTarget(
      name: "CounterXCTests",
      dependencies: ["CounterFeature", .product(name: "HubReducersTesting", package: "statehub")]),
    .executableTarget(
      name: "Unattended",
      dependencies: ["CounterFeature", .product(name: "HubReducersTesting", package: "statehub")]),
  ],
  swiftLanguageModes: [.v6]
)
