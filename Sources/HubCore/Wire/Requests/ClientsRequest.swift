// `clients`: asks for the hub's connections, a page at a time.

package struct ClientsCommand: RequestCommand {
  package let limit: UInt32
  package let after: Int32

  package static let effect = RequestEffect.none

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    limit = reader.integer()
    after = reader.integer()
    if reader.failed { return nil }
  }

  package func request() -> Request { .clients(after: after, limit: limit) }

  static func encode(_ after: Int32, _ limit: UInt32, _ id: UInt32, into out: inout OutputBuffer) {
    out.frame(RequestKind.clients.rawValue, request: id) { out in
      out.append(limit)
      out.append(after)
    }
  }
}
