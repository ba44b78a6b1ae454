// `access`: asks for the rights of a user on a name, and what grants them.

/// The identity to ask about, if it is not the requester's.
public struct AccessQuestion: Hashable, Sendable {
  /// The user.
  public var uid: UInt32
  /// All of the user's groups.
  public var groups: [UInt32]
  /// The name of one of the hub's additional sockets; empty: its own.
  public var socket: String
  /// The unit and the app of the user's program; all empty: a program outside all apps.
  public var origin: PeerOrigin

  /// Asks about a user. Only root and the hub's own user may ask about others.
  public init(
    uid: UInt32, groups: [UInt32] = [], socket: String = "", origin: PeerOrigin = PeerOrigin()
  ) {
    self.uid = uid
    self.groups = groups
    self.socket = socket
    self.origin = origin
  }
}

package struct AccessCommand: RequestCommand {
  package let name: ByteView
  /// The user; nil for the requester.
  package let other: AccessQuestion?

  package static let effect = RequestEffect.none
  private static let isAboutOther: UInt8 = 1 << 0

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    let flags = reader.integer(UInt8.self)
    name = reader.shortBytes()
    other = flags & AccessCommand.isAboutOther == 0 ? nil : AccessQuestion(reading: &reader)
    if reader.failed { return nil }
  }

  package func request() throws(HubError) -> Request { .access(try StoreName(name.text), as: other) }

  static func encode(_ name: StoreName, _ other: AccessQuestion?, _ id: UInt32, into out: inout OutputBuffer)
  {
    out.frame(RequestKind.access.rawValue, request: id) { out in
      out.append(other == nil ? 0 : AccessCommand.isAboutOther)
      out.append(short: name.text)
      if let other { out.append(other) }
    }
  }
}

extension AccessQuestion {
  fileprivate init(reading reader: inout ByteReader) {
    self.init(uid: reader.integer())
    for _ in 0..<Int(reader.integer(UInt16.self)) where !reader.failed { groups.append(reader.integer()) }
    socket = reader.shortBytes().text
    origin = reader.peerOrigin()
  }
}

extension OutputBuffer {
  fileprivate mutating func append(_ question: AccessQuestion) {
    append(question.uid)
    // More groups than a process can have.
    let groups = question.groups.prefix(Int(UInt16.max))
    append(UInt16(groups.count))
    for group in groups { append(group) }
    append(short: question.socket)
    append(question.origin)
  }
}
