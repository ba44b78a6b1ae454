// What a hub sends, one frame at a time, as owned values. It checks frames, not their order.

package import HubCore

package enum HubMessage: Sendable {
  case reply(UInt32, Reply)
  case event(HubEvent)
  /// An unknown kind of event, which is ignored.
  case unknownEvent
  /// Not a frame of this protocol: the connection can no longer be used.
  indirect case malformed(HubError)

  /// How much longer a hub's frames may be than the longest that it accepts.
  private static let lengthAllowance = 64 << 10
  /// The limit of frames up to the hub's welcome, which specifies the length of the others.
  package static let firstLengthLimit = Frame.defaultMaximumLength + lengthAllowance
  /// The limit regardless of the hub. Longer frames are not accepted, because a reader keeps a frame in memory until
  /// it is complete.
  private static let longest = 256 << 20

  /// How long frames may be from here on, if this changes that.
  package var newLengthLimit: Int? {
    guard case .reply(_, .welcome(let welcome)) = self else { return nil }
    return HubMessage.lengthLimit(welcome)
  }

  /// The frame length limit after that welcome.
  static func lengthLimit(_ welcome: Welcome) -> Int {
    min(Int(welcome.maximumFrameLength), longest) + lengthAllowance
  }

  package init(decoding frame: FrameView) {
    do throws(HubError) {
      if Frame.isEvent(frame.rawKind) {
        self = frame.kind == nil ? .unknownEvent : .event(try HubEvent(decoding: frame))
      } else {
        self = .reply(frame.request, try Reply(decoding: frame))
      }
    } catch  where error.code == .unknownKind && frame.rawKind >= ReplyKind.welcome.rawValue {
      // From a later version: only the request that it answers fails.
      self = .reply(
        frame.request, .error(HubError(.protocolViolation, "the hub sent an unknown reply")))
    } catch {
      self = .malformed(HubError(.protocolViolation, "the hub sent an invalid frame: \(error.message)"))
    }
  }
}

extension FrameAssembler {
  /// The next complete message; nil if there is none. From a welcome on, frames may be as long as it says. After `malformed` there is
  /// nothing to be had.
  package mutating func nextMessage() -> HubMessage? {
    do throws(HubError) {
      guard let frame = try next() else { return nil }
      let message = HubMessage(decoding: frame)
      if let limit = message.newLengthLimit { reader.maximumLength = limit }
      return message
    } catch {
      return .malformed(HubError(.protocolViolation, "the hub sent \(error.message)"))
    }
  }
}

extension HubError {
  /// The error that a connection ends with once the hub has said why it ends it.
  package init(ended reason: EndReason?, _ message: String) {
    let code: Code =
      switch reason {
      case .shuttingDown: .shuttingDown
      case .notReading: .notReading
      case .protocolError: .protocolViolation
      case .quota: .quota
      case nil: .connectionLost
      }
    self.init(code, message)
  }
}
