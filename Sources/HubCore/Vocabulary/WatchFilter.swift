// What a watch asks the hub to leave out: how often it gets values, how much a number must have changed, which condition must start or stop holding;
// and after how long without a write it is notified.

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

/// What a watch asks the hub to leave out, or to add after a silence. A filter is always valid and never empty.
public struct WatchFilter: Hashable, Sendable {
  /// The longest interval is a day, and so is the longest deadline.
  package static let longestMilliseconds: UInt32 = 86_400_000

  /// The minimum time between values in milliseconds; 0 if they are sent as soon as they change.
  package let milliseconds: UInt32
  /// How much a number must change to be sent; nil if every change is sent.
  package let deadband: Deadband?
  /// Values are sent when they start to meet it, and when they stop; nil: always.
  package let condition: WatchCondition?
  /// A store that is not written for so many milliseconds is reported; 0: none is.
  package let deadline: UInt32

  /// - Parameters:
  ///   - interval: the minimum time between values, 1 ms to 24 h.
  ///   - deadband: how much a number must change to be sent.
  ///   - condition: values are sent when it becomes true and when it stops being true.
  ///   - deadline: a store that is not written for that long is reported as overdue, 1 ms to 24 h.
  /// - Throws: `invalidValue` if the filter would do nothing, or if the hub does not support it.
  public init(
    atMost interval: Duration? = nil, by deadband: Deadband? = nil, when condition: WatchCondition? = nil,
    deadline: Duration? = nil
  ) throws(HubError) {
    guard interval != nil || deadband != nil || condition != nil || deadline != nil else {
      throw HubError(.invalidValue, "a filter needs an interval, a deadband, a condition or a deadline")
    }
    guard condition?.isPossible ?? true else {
      throw HubError(
        .invalidValue,
        "a condition compares with valid values; <, <=, > and >= take exactly one, neither a boolean nor json; at most "
          + "\(WatchCondition.longest) bytes in all")
    }
    let times = (
      try WatchFilter.milliseconds(interval, "interval"), try WatchFilter.milliseconds(deadline, "deadline")
    )
    guard let filter = WatchFilter(times.0, deadband, condition, times.1) else {
      throw HubError(.invalidValue, "a deadband must be a number above 0")
    }
    self = filter
  }

  /// - Parameter word: what the time is, for the message.
  private static func milliseconds(_ time: Duration?, _ word: String) throws(HubError) -> UInt32 {
    guard let time else { return 0 }
    let (seconds, attoseconds) = time.components
    let longest = Int64(WatchFilter.longestMilliseconds) / 1000
    guard time >= .milliseconds(1), time <= .seconds(longest) else {
      throw HubError(.invalidValue, "the \(word) of a watch must be from 1 ms to 24 h")
    }
    return UInt32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }

  /// Nil if there is no such filter.
  private init?(
    _ milliseconds: UInt32, _ deadband: Deadband?, _ condition: WatchCondition?, _ deadline: UInt32
  ) {
    guard milliseconds > 0 || deadband != nil || condition != nil || deadline > 0,
      max(milliseconds, deadline) <= WatchFilter.longestMilliseconds,
      deadband.map({ $0.amount > 0 && $0.amount.isFinite }) ?? true
    else { return nil }
    (self.milliseconds, self.deadband, self.condition) = (milliseconds, deadband, condition)
    self.deadline = deadline
  }

  /// What it sends of a store depends on what was sent before.
  package var compares: Bool { deadband != nil || condition != nil || deadline > 0 }

  /// Each change is compared, not only the newest value: every start and stop of the condition is reported.
  package var comparesEach: Bool { condition != nil && deadband == nil && milliseconds == 0 }

  private enum Part {
    static let interval: UInt8 = 1 << 0
    static let absolute: UInt8 = 1 << 1
    static let percent: UInt8 = 1 << 2
    static let condition: UInt8 = 1 << 3
    static let deadline: UInt8 = 1 << 4
    static let all = interval | absolute | percent | condition | deadline
  }

  /// Nil if the bytes are not a filter. A part that this version does not know is refused: what is left out must not depend on
  /// the hub's version.
  package init?(reading reader: inout ByteReader) {
    let parts = reader.integer(UInt8.self)
    guard parts & ~Part.all == 0 else { return nil }
    var (milliseconds, deadband, condition): (UInt32, Deadband?, WatchCondition?) = (0, nil, nil)
    var deadline: UInt32 = 0
    if parts & Part.interval != 0 {
      milliseconds = reader.integer()
      if milliseconds == 0 { return nil }
    }
    if parts & Part.absolute != 0 { deadband = .absolute(Double(bitPattern: reader.integer())) }
    if parts & Part.percent != 0 {
      if deadband != nil { return nil }
      deadband = .percent(Double(bitPattern: reader.integer()))
    }
    if parts & Part.condition != 0 {
      condition = WatchCondition(reading: &reader)
      if condition == nil { return nil }
    }
    if parts & Part.deadline != 0 {
      deadline = reader.integer()
      if deadline == 0 { return nil }
    }
    if reader.failed { return nil }
    self.init(milliseconds, deadband, condition, deadline)
  }

  package func encode(into out: inout OutputBuffer) {
    var parts = milliseconds > 0 ? Part.interval : 0
    switch deadband {
    case .absolute: parts |= Part.absolute
    case .percent: parts |= Part.percent
    case nil: break
    }
    if condition != nil { parts |= Part.condition }
    if deadline > 0 { parts |= Part.deadline }
    out.append(parts)
    if milliseconds > 0 { out.append(milliseconds) }
    if let deadband { out.append(deadband.amount.bitPattern) }
    condition?.encode(into: &out)
    if deadline > 0 { out.append(deadline) }
  }
}
