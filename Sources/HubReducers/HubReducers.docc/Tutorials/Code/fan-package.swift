// swift-tools-version: 6.2
import PackageDescription

let reducers = Target.Dependency.product(
  name: "HubReducers", package: "statehub")
let testing = Target.Dependency.product(
  name: "HubReducersTesting", package: "statehub")

let package = Package(
  name: "fan",
  dependencies: [.package(path: "../statehub")],
  targets: [
    .target(name: "Fan", dependencies: [reducers]),
    .executableTarget(
      name: "fan-program", dependencies: ["Fan", reducers]),
    .testTarget(
      name: "FanTests", dependencies: ["Fan", testing]),
  ]
)
