// The model of `statectl plot`: a number's changes, and its range in each interval. It does not draw.

internal import HubCore

struct PlotModel {
  private struct Point {
    let time: Int64
    /// Nil: there is no store from here on.
    let value: Double?
  }

  /// Ascending in time.
  private var points: [Point] = []
  private(set) var last: Value?
  /// The number of changes since the plot began, including skipped ones.
  private(set) var changes: UInt64 = 0

  /// The oldest beyond this are dropped.
  static let mostPoints = 1 << 16

  /// - Returns: whether it was a change of the number.
  /// - Throws: `typeMismatch` if it is not a number.
  mutating func take(_ event: StoreEvent) throws(Failure) -> Bool {
    guard event.kind.isAboutStore else { return false }
    let number = try event.value.map { value throws(Failure) in try PlotModel.number(value, event.name) }
    last = event.value
    if event.kind != .initial { changes += 1 + (event.skipped ?? 0) }
    // Values that are not numbers become gaps.
    let drawn = number.flatMap { $0.isFinite ? $0 : nil }
    points.append(Point(time: max(event.time, points.last?.time ?? .min), value: drawn))
    if points.count > 2 * PlotModel.mostPoints { points.removeFirst(points.count - PlotModel.mostPoints) }
    return true
  }

  static func number(_ value: Value, _ name: String) throws(Failure) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .double(let number): return number
    case .boolean(let flag): return flag ? 1 : 0
    case .string, .data, .json:
      throw .hub(
        HubError(
          .typeMismatch, store: name, "only numbers and booleans can be plotted, but it is \(value.type)"))
    }
  }

  /// The lowest and the highest value in each of `count` equal parts of a time; nil where there was none. A value lasts
  /// until the next one.
  func ranges(_ count: Int, from start: Int64, to end: Int64) -> [ClosedRange<Double>?] {
    var next = points.firstIndex { $0.time > start } ?? points.count
    var held = next > 0 ? points[next - 1].value : nil
    let width = Double(end - start) / Double(count)
    return (0..<count).map { part in
      var range = held.map { $0...$0 }
      let partEnd = part == count - 1 ? end : start + Int64(width * Double(part + 1))
      while next < points.count, points[next].time <= partEnd {
        held = points[next].value
        if let value = held {
          range = range.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
        }
        next += 1
      }
      return range
    }
  }

  /// The range of all of them.
  static func span(of ranges: [ClosedRange<Double>?]) -> ClosedRange<Double>? {
    ranges.lazy.compactMap { $0 }.reduce(nil) { span, range in
      guard let span else { return range }
      return min(span.lowerBound, range.lowerBound)...max(span.upperBound, range.upperBound)
    }
  }

  /// With enough digits to show a tenth of a span.
  static func label(_ value: Double, in span: ClosedRange<Double>) -> String {
    var step = (span.upperBound - span.lowerBound) / 10
    var (digits, scale) = (0, 1.0)
    while step > 0, step < 1, digits < 6 {
      step *= 10
      scale *= 10
      digits += 1
    }
    let scaled = (value * scale).rounded()
    guard abs(scaled) < 1e15, step > 0 || value == value.rounded() else { return value.description }
    return (scaled < 0 ? "-" : "") + DecimalText.of(UInt64(abs(scaled)), digits: digits)
  }
}
