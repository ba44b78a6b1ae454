// The lines that `statectl plot` prints when it does not draw: each change as text, CSV or JSON.

internal import HubCore

struct PlotLines {
  enum Form {
    case text, csv, json
  }

  let form: Form
  private var span: ClosedRange<Double>?

  /// The longest bar of a text.
  private static let longest = 40

  init(_ form: Form) { self.form = form }

  func begin(_ output: inout Output) throws(Failure) {
    if form == .csv { try output.line("time,value,revision,skipped") }
  }

  /// - Parameter event: about a number.
  mutating func write(_ event: StoreEvent, to output: inout Output) throws(Failure) {
    let time = TimeText.rfc3339(event.time)
    let value = event.value?.description ?? ""
    switch form {
    case .json: try output.json { $0.members(of: event) }
    case .csv:
      let skipped = event.skipped.map { String($0) } ?? ""
      try output.line("\(time),\(value),\(event.revision),\(skipped)")
    case .text:
      let number = try event.value.map { value throws(Failure) in try PlotModel.number(value, event.name) }
      try output.line("\(time)  \(value)  \(number.map { bar($0) } ?? "removed")")
    }
  }

  /// Its length shows the number's position between the lowest and the highest so far.
  private mutating func bar(_ value: Double) -> String {
    guard value.isFinite else { return "" }
    let span = span.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
    self.span = span
    let size = span.upperBound - span.lowerBound
    let part = size > 0 ? (value - span.lowerBound) / size : 0.5
    return String(
      repeating: LiveScreen.isUTF8 ? "▇" : "#", count: 1 + Int(part * Double(PlotLines.longest - 1)))
  }
}
