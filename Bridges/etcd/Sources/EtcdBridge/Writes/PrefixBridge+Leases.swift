// Values that end: etcd gets a lease for each, so that they end with this machine if the hub cannot end them any more.

internal import EtcdGateway
internal import FoundationEssentials

extension PrefixBridge {
  /// What a write does in etcd, with the leases that it needs.
  func operations(of plan: WritePlan) async throws -> [EtcdOperation] {
    var operations: [EtcdOperation] = []
    for base in plan.bases {
      switch plan.effects[base.name] {
      case .put(let bytes):
        let lease = try await lease(for: plan.lifetimes[base.name], of: base.name)
        operations.append(.put(base.key, value: bytes, lease: lease))
      // Who ends a value that is not there has nothing to delete, but his change is told.
      case .delete, nil: operations.append(.delete(.key(base.key)))
      }
    }
    return operations
  }

  private func lease(for lifetime: WritePlan.Lifetime?, of name: String) async throws -> Int64 {
    switch lifetime {
    case nil: return 0
    case .kept: return table[name].lease
    // The hub ends it in time; a few seconds later etcd does.
    case .seconds(let seconds): return try await etcd.grantLease(seconds: seconds + 5).id
    case .machine:
      if lease == 0 { lease = try await etcd.grantLease(seconds: Int64(Pace.lease)).id }
      return lease
    }
  }

  /// Ends the values of setters that have gone with the hub.
  func dropLease() {
    guard lease != 0 else { return }
    let ended = lease
    lease = 0
    Task { [etcd] in try? await etcd.revokeLease(ended) }
  }

  /// Begins the lease's time anew. If it has ended, its keys have, too.
  func keepLease() async {
    guard lease != 0 else { return }
    let kept = lease
    do {
      try await etcd.keepLease(kept)
    } catch {
      if error.problem == .leaseNotFound, lease == kept { lease = 0 }
    }
  }
}
