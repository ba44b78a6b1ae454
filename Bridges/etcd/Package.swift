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

/// What reaches etcd. It needs libcurl, which the hub does not: that is why it is a package of its own.
let package = Package(
  name: "statehub-etcd",
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "EtcdGateway", dependencies: ["CCurl"], swiftSettings: settings),
    .target(
      name: "EtcdProcesses", dependencies: ["EtcdGateway"], path: "Tests/EtcdProcesses",
      swiftSettings: settings),
    .executableTarget(
      name: "etcd-gateway-bench", dependencies: ["EtcdGateway", "EtcdProcesses"], swiftSettings: settings),
    .testTarget(
      name: "EtcdGatewayTests", dependencies: ["EtcdGateway", "EtcdProcesses"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
