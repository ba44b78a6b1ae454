// swift-tools-version: 6.2
import PackageDescription

/// Somebody else's package: it depends on this checkout as any program does on a library.
let package = Package(
  name: "DependsOnStatehub",
  dependencies: [.package(name: "statehub", path: "../../..")],
  targets: [
    .executableTarget(name: "Example", dependencies: [.product(name: "HubClient", package: "statehub")])
  ],
  swiftLanguageModes: [.v6]
)
