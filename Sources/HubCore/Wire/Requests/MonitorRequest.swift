// `monitor`: asks for what other connections have requested since the last time.

/// The requests that a monitor gets.
public struct MonitorFilter: Hashable, Sendable {
  /// Requests about a store whose name matches, or about a glob whose text does; nil for all, including those not
  /// about a store.
  public var pattern: NamePattern?
  /// Requests of this user; nil for all users.
  public var uid: UInt32?
  /// Requests whose frames have one of these kinds; empty for all. The kinds of events stand for changes that the hub
  /// makes by itself.
  public var kinds: [UInt8]

  /// A filter; by default it matches all requests.
  public init(pattern: NamePattern? = nil, uid: UInt32? = nil, kinds: [UInt8] = []) {
    self.pattern = pattern
    self.uid = uid
    self.kinds = kinds
  }
}

package struct MonitorCommand: RequestCommand {
  let uid: UInt32
  let pattern: String
  let kinds: [UInt8]

  package static let effect = RequestEffect.none
  /// No user has this number: it also means `not set` in the kernel's calls.
  private static let anybody = UInt32.max

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    uid = reader.integer()
    pattern = reader.shortBytes().text
    kinds = reader.shortBytes().array
    if reader.failed { return nil }
  }

  package func filter() throws(HubError) -> MonitorFilter {
    MonitorFilter(
      pattern: pattern.isEmpty ? nil : try NamePattern(pattern),
      uid: uid == MonitorCommand.anybody ? nil : uid, kinds: kinds)
  }

  package func request() throws(HubError) -> Request { .monitor(try filter()) }

  static func encode(_ filter: MonitorFilter, _ id: UInt32, into out: inout OutputBuffer) {
    out.frame(RequestKind.monitor.rawValue, request: id) { out in
      out.append(filter.uid ?? anybody)
      out.append(short: filter.pattern?.text ?? "")
      // A byte can count all kinds.
      let kinds = filter.kinds.prefix(Int(UInt8.max))
      out.append(UInt8(kinds.count))
      for kind in kinds { out.append(kind) }
    }
  }
}
