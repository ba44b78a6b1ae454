// Any message of the protocol, so that tests can cover all of them at once, and frames assembled by hand.

package import HubCore

package enum Message: Hashable {
  case request(Request, id: UInt32)
  case reply(Reply, id: UInt32)
  case event(HubEvent)

  package init(decoding frame: FrameView) throws(HubError) {
    if frame.rawKind & 0x80 != 0 {
      self = .reply(try Reply(decoding: frame), id: frame.request)
    } else if frame.rawKind & 0x40 != 0 {
      self = .event(try HubEvent(decoding: frame))
    } else {
      self = .request(try Request(decoding: frame), id: frame.request)
    }
  }

  package var frame: [UInt8] {
    var out = OutputBuffer()
    switch self {
    case .request(let request, let id): request.encode(into: &out, id: id)
    case .reply(let reply, let id): reply.encode(into: &out, request: id)
    case .event(let event): event.encode(into: &out)
    }
    return out.array
  }

  /// How long the payload is that an older release would send; nil: the same.
  package var olderLength: Int? {
    guard case .reply(.clients(let clients, _), _) = self, !clients.isEmpty else { return nil }
    let origins = clients.map(\.origin).map {
      3 + $0.unit.utf8.count + $0.userUnit.utf8.count + $0.app.utf8.count
    }
    return frame.payload.count - 20 * clients.count - origins.reduce(0, +)
  }

  /// Whether the payload consists of frames up to its end, so that it has no room for later versions' fields.
  package var isNested: Bool {
    switch self {
    case .request(.transaction, _), .reply(.committed, _): true
    default: false
    }
  }

  package static func decoded(_ frame: [UInt8]) -> Result<Message, HubError> {
    frame.withByteView { view in
      do throws(HubError) {
        return .success(try Message(decoding: FrameView(bytes: view)))
      } catch {
        return .failure(error)
      }
    }
  }
}

/// The bytes of a frame, with its payload's length.
package func rawFrame(_ kind: UInt8, flags: UInt8 = 0, request: UInt32 = 0, _ payload: [UInt8]) -> [UInt8] {
  var out = OutputBuffer()
  out.append(UInt32(payload.count))
  out.append(kind)
  out.append(flags)
  out.append(UInt16(0))
  out.append(request)
  out.append(payload)
  return out.array
}

/// A short text of these bytes.
package func short(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }
package func short(_ text: String) -> [UInt8] { short(Array(text.utf8)) }

/// A value of any type and content.
package func rawValue(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
  [type] + littleEndian(UInt32(content.count)) + content
}

package func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

extension [UInt8] {
  /// The same frame with another payload.
  package func replacingPayload(_ payload: [UInt8]) -> [UInt8] {
    rawFrame(
      self[4], flags: self[5],
      request: withByteView { $0.load(UInt32.self, at: 8) }, payload)
  }

  package var payload: [UInt8] { Array(dropFirst(Frame.headerLength)) }
}

extension Result {
  package var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
