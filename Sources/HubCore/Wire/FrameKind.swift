// The meaning of a frame's kind byte. The numbers and names are with the messages: RequestKind, WriteKind, EventKind,
// ReplyKind.

extension Frame {
  /// A kind of frame in this version.
  package enum Kind: Hashable, Sendable {
    case request(RequestKind)
    /// A request by itself, or an operation of a transaction.
    case write(WriteKind)
    /// Hub to client, and never the answer to a request.
    case event(EventKind)
    case reply(ReplyKind)

    @inlinable package var isEvent: Bool { if case .event = self { true } else { false } }
    package var isReply: Bool { if case .reply = self { true } else { false } }
  }

  /// Whether a frame of this kind, of any version, is an event.
  @inlinable @inline(__always)
  package static func isEvent(_ kind: UInt8) -> Bool { kind & 0xC0 == 0x40 }
}

extension Frame.Kind: RawRepresentable {
  @inline(__always)
  package init?(rawValue: UInt8) {
    if let kind = WriteKind(rawValue: rawValue) {
      self = .write(kind)
    } else if let kind = RequestKind(rawValue: rawValue) {
      self = .request(kind)
    } else if let kind = EventKind(rawValue: rawValue) {
      self = .event(kind)
    } else if let kind = ReplyKind(rawValue: rawValue) {
      self = .reply(kind)
    } else {
      return nil
    }
  }

  package var rawValue: UInt8 {
    switch self {
    case .request(let kind): kind.rawValue
    case .write(let kind): kind.rawValue
    case .event(let kind): kind.rawValue
    case .reply(let kind): kind.rawValue
    }
  }
}

extension Frame.Kind: CaseIterable {
  package static var allCases: [Frame.Kind] {
    RequestKind.allCases.map { .request($0) } + WriteKind.allCases.map { .write($0) }
      + EventKind.allCases.map { .event($0) } + ReplyKind.allCases.map { .reply($0) }
  }
}

extension Frame.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .request(let kind): "\(kind)"
    case .write(let kind): "\(kind)"
    case .event(let kind): "\(kind)"
    case .reply(let kind): "\(kind)"
    }
  }
}
