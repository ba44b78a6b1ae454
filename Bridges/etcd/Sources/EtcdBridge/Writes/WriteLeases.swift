// Values that end: each gets a lease in etcd, so that it ends with this machine if the hub cannot end it any more.

internal import EtcdGateway
internal import FoundationEssentials

extension PrefixBridge {
  /// A write's operations in etcd, with the leases that they need.
  func operations(of plan: WritePlan) async throws -> [EtcdOperation] {
    var operations: [EtcdOperation] = []
    for base in plan.bases {
      switch plan.effects[base.name] {
      case .put(let bytes):
        let lease = try await lease(for: plan.lifetimes[base.name], of: base.name)
        operations.append(.put(base.key, value: bytes, lease: lease))
      // If the key is gone already, this deletes nothing, and the ticket makes the revision.
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

  /// Ends the values whose writers were connected to a former hub.
  func dropLease() {
    guard lease != 0 else { return }
    let ended = lease
    lease = 0
    Task { [etcd] in try? await etcd.revokeLease(ended) }
  }

  /// Renews the lease. If it has ended, its keys were deleted, and the follower removes their stores.
  func keepLease() async {
    guard lease != 0 else { return }
    let kept = lease
    do {
      try await etcd.keepLease(kept)
    } catch {
      if error.problem == .leaseNotFound, lease == kept {
        lease = 0
        report.leaseEnded(mapping.base)
      }
    }
  }
}
