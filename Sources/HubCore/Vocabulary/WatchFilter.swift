// What a watch asks the hub to leave out: how often it wants values, and by how much a number must have changed.

/// How much a number must have changed since the last delivered value.
public enum Deadband: Hashable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  case absolute(Double)
  /// A percentage of the last delivered value.
  case percent(Double)

  public init(floatLiteral value: Double) { self = .absolute(value) }
  public init(integerLiteral value: Int64) { self = .absolute(Double(value)) }

  package var amount: Double {
    switch self {
    case .absolute(let amount), .percent(let amount): amount
    }
  }

  /// Whether a value has left the band around the one that was delivered last. What is not a number always has.
  package func isLeft(from last: Value, to new: Value) -> Bool {
    let (distance, size): (Double, Double)
    switch (last, new) {
    case (.integer(let last), .integer(let new)):
      let difference = last < new ? new &- last : last &- new
      // The difference of two integers may need all 64 bits.
      (distance, size) = (Double(UInt64(bitPattern: difference)), Double(last.magnitude))
    case (.double(let last), .double(let new)): (distance, size) = (abs(new - last), abs(last))
    default: return true
    }
    switch self {
    case .absolute(let amount): return distance >= amount
    case .percent(let amount): return distance > 0 && distance >= size * amount / 100
    }
  }
}

/// What a watch asks the hub to leave out. A filter is always valid and never empty.
public struct WatchFilter: Hashable, Sendable {
  /// The longest interval is a day.
  package static let longestMilliseconds: UInt32 = 86_400_000

  /// The minimum time between values in milliseconds; 0 if they are sent as soon as they change.
  package let milliseconds: UInt32
  /// How much a number must change to be sent; nil if every change is sent.
  package let deadband: Deadband?

  /// - Parameters:
  ///   - interval: the minimum time between values, 1 ms to 24 h.
  ///   - deadband: how much a number must change to be sent.
  /// - Throws: `invalidValue` if the filter would leave out nothing, or if the hub does not support it.
  public init(atMost interval: Duration? = nil, by deadband: Deadband? = nil) throws(HubError) {
    guard interval != nil || deadband != nil else {
      throw HubError(.invalidValue, "a filter needs an interval or a deadband")
    }
    var milliseconds: UInt32 = 0
    if let interval {
      let (seconds, attoseconds) = interval.components
      let longest = Int64(WatchFilter.longestMilliseconds) / 1000
      guard interval >= .milliseconds(1), interval <= .seconds(longest) else {
        throw HubError(.invalidValue, "the interval of a watch must be from 1 ms to 24 h")
      }
      milliseconds = UInt32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
    guard let filter = WatchFilter(milliseconds: milliseconds, deadband: deadband) else {
      throw HubError(.invalidValue, "a deadband must be a number above 0")
    }
    self = filter
  }

  /// Nil if there is no such filter.
  private init?(milliseconds: UInt32, deadband: Deadband?) {
    guard milliseconds > 0 || deadband != nil, milliseconds <= WatchFilter.longestMilliseconds,
      deadband.map({ $0.amount > 0 && $0.amount.isFinite }) ?? true
    else { return nil }
    (self.milliseconds, self.deadband) = (milliseconds, deadband)
  }

  private enum Part {
    static let interval: UInt8 = 1 << 0
    static let absolute: UInt8 = 1 << 1
    static let percent: UInt8 = 1 << 2
  }

  /// Nil if the bytes are not a filter. A part that this version does not know is refused: what is left out must not depend on
  /// the hub's version.
  package init?(reading reader: inout ByteReader) {
    let parts = reader.integer(UInt8.self)
    guard parts & ~(Part.interval | Part.absolute | Part.percent) == 0 else { return nil }
    var (milliseconds, deadband): (UInt32, Deadband?) = (0, nil)
    if parts & Part.interval != 0 {
      milliseconds = reader.integer()
      if milliseconds == 0 { return nil }
    }
    if parts & Part.absolute != 0 { deadband = .absolute(Double(bitPattern: reader.integer())) }
    if parts & Part.percent != 0 {
      if deadband != nil { return nil }
      deadband = .percent(Double(bitPattern: reader.integer()))
    }
    if reader.failed { return nil }
    self.init(milliseconds: milliseconds, deadband: deadband)
  }

  package func encode(into out: inout OutputBuffer) {
    var parts = milliseconds > 0 ? Part.interval : 0
    switch deadband {
    case .absolute: parts |= Part.absolute
    case .percent: parts |= Part.percent
    case nil: break
    }
    out.append(parts)
    if milliseconds > 0 { out.append(milliseconds) }
    if let deadband { out.append(deadband.amount.bitPattern) }
  }
}
