// Shared by the tests: bytes as texts, and the failure of a call.

import EtcdGateway
import EtcdProcesses
import Foundation

extension Data {
  init(_ text: String) { self = Data(text.utf8) }

  var text: String { String(decoding: self, as: UTF8.self) }
}

/// How a call has failed; `nil`: it has succeeded.
func failure<Value>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws(EtcdFailure) -> Value
) async -> EtcdFailure? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

extension EtcdWatch {
  /// The next revision, past what is only progress.
  func nextRevision() async throws(EtcdFailure) -> EtcdRevision {
    while true {
      if case .revision(let revision)? = try await next() { return revision }
    }
  }

  /// How it ends.
  func end() async -> EtcdFailure? {
    await failure { () async throws(EtcdFailure) in while try await next() != nil {} }
  }
}

/// One member that all tests share whose keys have prefixes of their own. It ends with the tests' process.
enum SharedNode {
  private static let cluster = Task { try await EtcdCluster() }

  static func settings() async throws -> EtcdSettings { try await cluster.value.settings }

  static func client() async throws -> EtcdClient { try EtcdClient(try await settings()) }

  static func prefix() -> String { "/\(UUID().uuidString)/" }
}
