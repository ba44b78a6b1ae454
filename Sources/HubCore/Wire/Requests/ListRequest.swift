// `list`: asks for the stores whose names match, a page at a time.

package struct ListCommand: RequestCommand {
  package let limit: UInt32
  package let pattern: String
  package let after: ByteView

  /// It puts the names in order, which undoing would not revert.
  package static let effect = RequestEffect.immediate

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    limit = reader.integer()
    pattern = reader.shortBytes().text
    after = reader.shortBytes()
    if reader.failed { return nil }
  }

  package func request() throws(HubError) -> Request {
    .list(try NamePattern(pattern), after: after.text, limit: limit)
  }

  static func encode(
    _ pattern: NamePattern, _ after: String, _ limit: UInt32, _ id: UInt32, into out: inout OutputBuffer
  ) {
    out.frame(RequestKind.list.rawValue, request: id) { out in
      out.append(limit)
      out.append(short: pattern.text)
      out.append(short: after)
    }
  }
}
