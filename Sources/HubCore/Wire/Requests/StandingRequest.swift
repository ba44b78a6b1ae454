// `standing`: a provider reports the state of a claim, or releases the claim.

/// The state that a provider reports.
public enum ClaimStanding: Hashable, Sendable {
  /// The values are current, and writes are forwarded from now on.
  case live
  /// The values are being brought up to date.
  case syncing
  /// The source of the values is unreachable, for this reason.
  case suspended(String)
  /// The claim ends, and its stores become ordinary stores again, unless the configuration declares the claim.
  case released
  /// The provider gives up the claim as if its connection had ended: the stores stay vacant until the same user claims
  /// them again.
  case vacant

  var raw: UInt8 {
    switch self {
    case .live: 1
    case .syncing: 2
    case .suspended: 3
    case .released: 4
    case .vacant: 5
    }
  }

  package init?(raw: UInt8, reason: String) {
    switch raw {
    case 1: self = .live
    case 2: self = .syncing
    case 3: self = .suspended(reason)
    case 4: self = .released
    case 5: self = .vacant
    default: return nil
    }
  }
}

package struct StandingCommand: RequestCommand {
  package let name: ByteView
  package let standing: ClaimStanding

  package static let effect = RequestEffect.immediate

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    name = reader.shortBytes()
    let (raw, reason) = (reader.integer(UInt8.self), reader.mediumBytes().text)
    guard !reader.failed, let standing = ClaimStanding(raw: raw, reason: reason) else { return nil }
    self.standing = standing
  }

  package func request() throws(HubError) -> Request { .standing(try StoreName(name.text), standing) }

  static func encode(
    _ name: StoreName, _ standing: ClaimStanding, _ id: UInt32, into out: inout OutputBuffer
  ) {
    out.frame(RequestKind.standing.rawValue, request: id) { out in
      out.append(short: name.text)
      out.append(standing.raw)
      if case .suspended(let reason) = standing { out.append(medium: reason) } else { out.append(medium: "") }
    }
  }
}
