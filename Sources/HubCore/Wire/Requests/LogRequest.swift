// `log`: asks for the changes that the hub has kept of the stores whose names match, a page at a time.

/// Where a page of the log begins.
public struct LogPlace: Hashable, Sendable {
  /// The revision of the first change.
  public var revision: Revision
  /// How many of that revision's changes to skip.
  public var skip: UInt32

  /// The position to read from; by default the oldest kept change.
  public init(revision: Revision = 0, skip: UInt32 = 0) {
    self.revision = revision
    self.skip = skip
  }
}

package struct LogCommand: RequestCommand {
  package let from: LogPlace
  package let limit: UInt32
  package let pattern: String

  package static let effect = RequestEffect.none

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    let revision = reader.integer(Revision.self)
    from = LogPlace(revision: revision, skip: reader.integer())
    limit = reader.integer()
    pattern = reader.shortBytes().text
    if reader.failed { return nil }
  }

  package func request() throws(HubError) -> Request {
    .log(try NamePattern(pattern), from: from, limit: limit)
  }

  static func encode(
    _ pattern: NamePattern, _ from: LogPlace, _ limit: UInt32, _ id: UInt32, into out: inout OutputBuffer
  ) {
    out.frame(RequestKind.log.rawValue, request: id) { out in
      out.append(from.revision)
      out.append(from.skip)
      out.append(limit)
      out.append(short: pattern.text)
    }
  }
}
