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
    .executableTarget(name: "etcd-gateway-bench", dependencies: ["EtcdGateway"], swiftSettings: settings),
    .testTarget(name: "EtcdGatewayTests", dependencies: ["EtcdGateway"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
