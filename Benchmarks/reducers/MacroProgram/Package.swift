// swift-tools-version: 6.2
import PackageDescription

/// A small program that uses every macro: what its clean build costs is what macros cost. A package of its own, as a
/// user's program is.
let package = Package(
  name: "MacroProgram",
  dependencies: [.package(name: "statehub", path: "../../..")],
  targets: [
    .executableTarget(
      name: "MacroProgram", dependencies: [.product(name: "HubReducers", package: "statehub")])
  ],
  swiftLanguageModes: [.v6]
)
