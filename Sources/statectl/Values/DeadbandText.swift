// A deadband as text: `0.5`, or `5%` of the previous value.

internal import HubCore

extension Deadband {
  init?(text: String) {
    let isPercent = text.hasSuffix("%")
    guard let amount = Double(isPercent ? String(text.dropLast()) : text), amount > 0, amount.isFinite else {
      return nil
    }
    self = isPercent ? .percent(amount) : .absolute(amount)
  }

  var text: String {
    switch self {
    case .absolute(let amount): "\(amount)"
    case .percent(let amount): "\(amount)%"
    }
  }
}
