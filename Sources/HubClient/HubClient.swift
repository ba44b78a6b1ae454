// What `import HubClient` re-exports: the types that programs name. It has no behaviour.
//
// Each type is named here on purpose. The modules below also have a `Request`, a `Reply` or a `Frame`, and a program that imports a web framework
// expects the framework's.

public import HubCore
public import HubTransport

@_exported public import struct HubCore.ClaimStatus
@_exported public import enum HubCore.Deadband
@_exported public import struct HubCore.HubError
@_exported public import typealias HubCore.Revision
@_exported public import struct HubCore.Schema
@_exported public import struct HubCore.StoreDescription
@_exported public import struct HubCore.StoreEvent
@_exported public import struct HubCore.StoreName
@_exported public import struct HubCore.StoreSummary
@_exported public import enum HubCore.ValueType
@_exported public import struct HubCore.WatchCondition
@_exported public import struct HubCore.WriteResult
@_exported public import enum HubTransport.SocketPath

/// A value as the hub holds it, of any of its types. Programs rarely need it: a `SharedValue` uses their own types.
public typealias HubValue = HubCore.Value

extension Hub {
  /// A point in time on the monotonic clock, or on that of a hub in memory.
  public typealias Instant = HubTransport.Deadline
  /// A revision with its epoch: a point in the hub's history that can be compared with others.
  public typealias Bookmark = HubCore.Bookmark
  /// The epoch of revisions: revisions of different epochs cannot be compared.
  public typealias Epoch = HubCore.Epoch
  /// What a Hub may still do after `restrict(to:)`.
  public typealias Restriction = HubCore.Restriction
  /// The identity of a process, according to the kernel.
  public typealias Peer = HubCore.Peer
  /// The unit and the app of a process.
  public typealias Origin = HubCore.PeerOrigin
  /// One of the hub's connections.
  public typealias Connection = HubCore.ClientSummary
  /// One of the hub's counters.
  public typealias Counter = HubCore.Statistic
}

extension ProvidedWrite {
  /// One of its writes.
  public typealias Operation = HubCore.ForwardedOperation
}
