// Beginning a watch: where, with which token, and what its first line says.

extension EtcdClient {
  /// Watches keys from a revision on, on a stream of its own, until nobody holds the watch any more.
  ///
  /// It returns when etcd has made the watch: no change after that is missed.
  ///
  /// - Parameters:
  ///   - revision: the first that is told; 0: what comes after the watch was made.
  ///   - wantsPrevious: whether events tell what was there before.
  /// - Throws: `compacted` if the revision is no longer kept; the watch itself throws it later, if etcd forgets revisions
  ///   that it has not told yet.
  package func watch(
    _ keys: EtcdKeys, from revision: Int64 = 0, wantsPrevious: Bool = false
  ) async throws(EtcdFailure) -> EtcdWatch {
    let body = WatchCreation(keys: keys, revision: revision, wantsPrevious: wantsPrevious)
    let call = try Call("/v3/watch", body, isReading: true)
    let deadline = ContinuousClock.now + gateway.settings.call
    // etcd 3.4 says that a watch with an old token is not permitted, and nothing else about it.
    let opened = try await withToken(replacedIf: { $0.isTokenRefusal || $0.isPermissionRefusal }) {
      token throws(EtcdFailure) in
      try await gateway.rotate(call, until: deadline) { endpoint, until throws(EtcdFailure) in
        let stream = try await self.gateway.open(call, at: endpoint, token: token, until: until)
        return try await WatchStream(stream, at: endpoint, client: self).created()
      }
    }
    return EtcdWatch(opened)
  }
}
