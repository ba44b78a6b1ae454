// Shared by the tests: a machine whose bridge shows a prefix of its own, and what to do with it.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient
import Testing

/// A machine with a hub and a live bridge.
struct Bridged {
  let machine: Machine
  private let cluster: EtcdCluster?
  let etcd: EtcdClient
  let hub: Hub
  let prefix: String
  let words: [String]

  /// - Parameters:
  ///   - cluster: nil: one member that all tests share.
  ///   - proxy: the bridge's only way to etcd; nil: it goes to the members themselves.
  ///   - other: another machine of the same prefix.
  ///   - loading: how long it may take until the values are live.
  init(
    _ name: String = "m1", cluster: EtcdCluster? = nil, through proxy: Proxy? = nil, other: Bridged? = nil,
    configuration: String = "{}", hubOptions: [String] = ["--volatile"],
    options: [String] = [], loading: Duration = .seconds(30),
    before: (EtcdClient, String) async throws -> Void = { _, _ in }
  ) async throws {
    let settings: EtcdSettings
    self.cluster = cluster
    if let cluster { settings = cluster.settings } else { settings = try await SharedMember.settings() }
    etcd = try EtcdClient(settings)
    prefix = other?.prefix ?? "/\(UUID().uuidString)/"
    machine = try Machine(name, configuration: configuration)
    let endpoints = proxy.map { [$0.url] } ?? settings.endpoints
    words = ["--endpoints", endpoints.joined(separator: ","), "--prefix", prefix, "--as", "net"] + options
    hub = machine.connect()
    try await before(etcd, prefix)
    try await machine.startHub(hubOptions)
    try machine.startBridge(words)
    try await machine.await(.live, hub, within: loading)
  }

  func key(_ rest: String) -> Data { Data((prefix + rest).utf8) }

  @discardableResult func put(_ rest: String, _ value: String) async throws -> Int64 {
    try await etcd.put(key(rest), Data(value.utf8))
  }

  /// Sets keys elsewhere until etcd is full.
  func fillEtcd() async throws -> EtcdFailure {
    while true {
      do throws(EtcdFailure) {
        try await etcd.put(Data("/elsewhere".utf8), Data(count: 1 << 20))
      } catch {
        return error
      }
    }
  }

  /// The key's value in etcd; nil: there is no such key.
  func get(_ rest: String) async throws -> String? {
    let found = try await etcd.range(EtcdRange(.key(key(rest)))).keyValues.first
    return found.map { String(decoding: $0.value, as: UTF8.self) }
  }

  /// The store's value; nil: there is no such store.
  func value(_ name: String) async throws -> HubValue? {
    do throws(HubError) {
      return try await hub.anyValue(name).get()
    } catch {
      if error.code == .noSuchStore { return nil }
      throw error
    }
  }

  /// Waits until the hub has a value.
  func expect(
    _ name: String, _ expected: HubValue?, within: Duration = .seconds(20),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var last: HubValue?
    do {
      try await eventually("\(name) is \(expected.map { "\($0)" } ?? "gone")", within: within) {
        last = try await value(name)
        return last == expected
      }
    } catch {
      Issue.record(
        "\(error): it is \(last.map { "\($0)" } ?? "gone")\n\(machine.bridgeLog.suffix(2000))",
        sourceLocation: sourceLocation)
    }
  }

  /// A value in the bridge's metrics.
  static func figure(_ name: String, _ text: String) -> Double? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") }
    return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
  }
}

/// One member that all tests share whose keys have prefixes of their own. It ends with the tests' process.
enum SharedMember {
  private static let cluster = Task { try await EtcdCluster() }

  static func settings() async throws -> EtcdSettings { try await cluster.value.settings }
}

/// How a request to the hub has failed; nil: it has succeeded.
func refusal<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws(HubError) -> Result
) async -> HubError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
