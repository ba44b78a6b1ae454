// `restrict`: a connection gives up rights for good.

/// What a connection may still request once it has restricted itself. Its open watches, ephemeral values and claims stay.
public enum Restriction: UInt8, Sendable, CaseIterable, Comparable {
  /// To read and to watch.
  case reading = 1
  /// Nothing but a `ping` and the end of its watches: the connection keeps alive what it has.
  case nothing = 2

  public static func < (one: Restriction, other: Restriction) -> Bool { one.rawValue < other.rawValue }
}

package struct RestrictCommand: RequestCommand {
  package let restriction: Restriction

  package static let effect = RequestEffect.immediate

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    guard let restriction = Restriction(rawValue: reader.integer()), !reader.failed else { return nil }
    self.restriction = restriction
  }

  package func request() -> Request { .restrict(restriction) }
}
