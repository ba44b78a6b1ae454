// Granting, keeping and ending leases.

extension EtcdClient {
  private struct Grant: Encodable {
    let seconds: Int64

    enum CodingKeys: String, CodingKey { case seconds = "TTL" }

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: CodingKeys.self)
      try fields.encode(number: seconds, .seconds)
    }
  }

  private struct Named: Encodable {
    let id: Int64
    let withKeys: Bool

    enum CodingKeys: String, CodingKey {
      case id = "ID"
      case withKeys = "keys"
    }

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: CodingKeys.self)
      try fields.encode(number: id, .id)
      try fields.encode(flag: withKeys, .withKeys)
    }
  }

  /// Grants a lease for at least so many seconds, 1 or more.
  package func grantLease(seconds: Int64) async throws(EtcdFailure) -> EtcdLease {
    try await call(Call("/v3/lease/grant", Grant(seconds: seconds), isReading: false))
  }

  /// Ends a lease and deletes its keys. `leaseNotFound`: it had ended before.
  package func revokeLease(_ id: Int64) async throws(EtcdFailure) {
    let body = Named(id: id, withKeys: false)
    _ = try await call(Call("/v3/lease/revoke", body, isReading: false), Acknowledgement.self)
  }

  /// Begins a lease's time anew. Returns how many seconds it has; throws `leaseNotFound` if it has ended.
  @discardableResult package func keepLease(_ id: Int64) async throws(EtcdFailure) -> Int64 {
    // To keep it twice does no harm, so another endpoint may be asked whatever became of the first attempt.
    let call = try Call("/v3/lease/keepalive", Named(id: id, withKeys: false), isReading: true)
    let line = try await self.call(call, StreamEnvelope<EtcdLease>.self)
    if let error = line.error { throw EtcdFailure(error, status: 200, at: nil) }
    guard let lease = line.result, lease.timeToLive > 0 else { throw EtcdFailure(.leaseNotFound, .none) }
    return lease.timeToLive
  }

  /// The state of a lease.
  package func leaseState(_ id: Int64, withKeys: Bool = false) async throws(EtcdFailure) -> EtcdLeaseState {
    try await call(Call("/v3/lease/timetolive", Named(id: id, withKeys: withKeys), isReading: true))
  }
}
