// swift-tools-version: 6.2
import PackageDescription

/// What one `send` costs. A package of its own, so that nobody who uses the library builds it.
let package = Package(
  name: "SendCost",
  dependencies: [.package(name: "statehub", path: "../../..")],
  targets: [
    .executableTarget(name: "SendCost", dependencies: [.product(name: "HubReducers", package: "statehub")])
  ],
  swiftLanguageModes: [.v6]
)
