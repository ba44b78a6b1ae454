// `decide`: a provider's decision on a write or a read that was forwarded to it.

/// The decision on a forwarded write or read. A read can be accepted without values, refused, or asked again.
public enum Decision: Hashable, Sendable {
  /// The proposed values take effect, or `values` instead: one for each operation that has a proposed value. Readers get the store's
  /// value.
  case accept(values: [Value]? = nil)
  /// Nothing changes now: the provider has accepted the request, and will publish the result.
  case taken
  /// The writer, or each reader, gets this error: `conflict`, one of those about values, `denied`, `quota`, `unavailable`, `refused`,
  /// or `unanswered` if the provider does not know the outcome of the write.
  case refuse(HubError.Code, String)
  /// The provider has published something newer in the meantime: the write must be evaluated again.
  case again

  /// The codes that a provider may refuse with; others count as `refused`.
  public static let codes: [HubError.Code] = [
    .conflict, .typeMismatch, .outOfRange, .notAChoice, .tooLarge, .invalidValue, .denied, .quota,
    .unavailable, .unanswered, .refused,
  ]
}

package struct DecideCommand: RequestCommand {
  package let ticket: UInt64
  package let verdict: Verdict
  package let values: [ValueView]
  package let code: HubError.Code
  package let message: String

  package static let effect = RequestEffect.stores

  package enum Verdict: UInt8 {
    case accept = 1
    case acceptOther = 2
    case taken = 3
    case refuse = 4
    case again = 5
  }

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    ticket = reader.integer()
    guard let verdict = Verdict(rawValue: reader.integer()) else { return nil }
    self.verdict = verdict
    var values: [ValueView] = []
    if verdict == .acceptOther {
      for _ in 0..<Int(reader.integer(UInt16.self)) {
        guard let value = ValueView(reading: &reader) else { return nil }
        values.append(value)
      }
    }
    self.values = values
    let code = verdict == .refuse ? HubError.Code(rawValue: reader.integer()) : nil
    self.code = code.flatMap { Decision.codes.contains($0) ? $0 : nil } ?? .refused
    message = verdict == .refuse ? reader.mediumBytes().text : ""
    if reader.failed { return nil }
  }

  func decision() throws(HubError) -> Decision {
    switch verdict {
    case .accept: return .accept()
    case .acceptOther:
      var known: [Value] = []
      for value in values { known.append(try value.checked()) }
      return .accept(values: known)
    case .taken: return .taken
    case .refuse: return .refuse(code, message)
    case .again: return .again
    }
  }

  package func request() throws(HubError) -> Request { .decide(ticket, try decision()) }

  static func encode(
    _ ticket: UInt64, _ decision: Decision, _ id: UInt32, into out: inout OutputBuffer
  ) {
    out.frame(RequestKind.decide.rawValue, request: id) { out in
      out.append(ticket)
      switch decision {
      case .accept(nil): out.append(Verdict.accept.rawValue)
      case .accept(let values?):
        out.append(Verdict.acceptOther.rawValue)
        // More than a transaction has operations.
        let values = values.prefix(Int(UInt16.max))
        out.append(UInt16(values.count))
        for value in values { out.append(value) }
      case .taken: out.append(Verdict.taken.rawValue)
      case .refuse(let code, let message):
        out.append(Verdict.refuse.rawValue)
        out.append(code.rawValue)
        out.append(medium: message)
      case .again: out.append(Verdict.again.rawValue)
      }
    }
  }
}
