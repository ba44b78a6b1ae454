// Requests about the members.

package import FoundationEssentials

extension EtcdClient {
  private struct Members: Decodable, Sendable {
    let members: [EtcdMember]
  }

  /// One member's own status.
  package func status(at endpoint: String? = nil) async throws(EtcdFailure) -> EtcdStatus {
    try await call(Call("/v3/maintenance/status", Nothing(), isReading: true), at: endpoint)
  }

  /// The members according to the asked one.
  package func members() async throws(EtcdFailure) -> [EtcdMember] {
    try await call(Call("/v3/cluster/member/list", Nothing(), isReading: true), Members.self).members
  }

  /// Reads one key, which need not exist, as the whole cluster has it. It succeeds exactly if the majority is available.
  ///
  /// - Returns: the cluster's revision; 0 if the user may not read that key, which only a majority can report.
  @discardableResult package func probe(
    _ key: Data = Data([0]), at endpoint: String? = nil, within: Duration? = nil
  ) async throws(EtcdFailure) -> Int64 {
    do {
      let range = EtcdRange(.key(key), isWithoutValues: true)
      let call = try Call("/v3/kv/range", range, isReading: true)
      return try await self.call(call, EtcdRangeResult.self, at: endpoint, within: within).currentRevision
    } catch {
      guard error.isPermissionRefusal else { throw error }
      return 0
    }
  }
}
