// swift-tools-version: 6.2
import PackageDescription

var settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
if Context.environment["STATEHUB_STRICT"] != nil { settings.append(.treatAllWarnings(as: .error)) }

let hub = Target.Dependency.product(name: "HubClient", package: "statehub")

/// What reaches etcd. It needs libcurl, which the hub does not: that is why it is a package of its own.
let package = Package(
  name: "statehub-etcd",
  dependencies: [.package(name: "statehub", path: "../..")],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "EtcdGateway", dependencies: ["CCurl"], swiftSettings: settings),
    .target(name: "EtcdBridge", dependencies: ["EtcdGateway", hub], swiftSettings: settings),
    .executableTarget(name: "statehub-bridge", dependencies: ["EtcdBridge"], swiftSettings: settings),
    .target(
      name: "EtcdProcesses", dependencies: ["EtcdGateway"], path: "Tests/EtcdProcesses",
      swiftSettings: settings),
    .target(
      name: "BridgeProcesses", dependencies: ["EtcdGateway", "EtcdProcesses", hub],
      path: "Tests/BridgeProcesses",
      swiftSettings: settings),
    .executableTarget(
      name: "bridge-proof",
      dependencies: ["EtcdGateway", "EtcdProcesses", "BridgeProcesses", "statehub-bridge", hub],
      path: "Tests/BridgeProof", swiftSettings: settings),
    .executableTarget(
      name: "etcd-gateway-bench", dependencies: ["EtcdGateway", "EtcdProcesses"], swiftSettings: settings),
    .testTarget(
      name: "EtcdGatewayTests", dependencies: ["EtcdGateway", "EtcdProcesses"], swiftSettings: settings),
    .testTarget(
      name: "EtcdBridgeTests",
      dependencies: [
        "EtcdBridge", "EtcdGateway", "EtcdProcesses", "BridgeProcesses", "statehub-bridge", hub,
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
