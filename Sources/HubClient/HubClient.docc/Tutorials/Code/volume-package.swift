// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "volume",
  dependencies: [.package(path: "../statehub")],
  targets: [
    .executableTarget(
      name: "volume",
      dependencies: [
        .product(name: "HubClient", package: "statehub")
      ])
  ]
)
