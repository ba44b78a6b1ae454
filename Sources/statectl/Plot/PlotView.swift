// The view of `statectl plot` on a terminal, and its keys.

internal import HubCore
internal import HubTransport

struct PlotView {
  let name: String
  /// How much time the chart spans, in nanoseconds.
  private(set) var window: Int64
  private(set) var isDone = false
  /// The right edge of a chart that stands still.
  private(set) var pausedAt: Int64?

  private static let windows: ClosedRange<Int64> = 100_000_000...100_000_000_000_000

  init(name: String, window: Duration) {
    self.name = name
    self.window = min(
      max(Int64(clamping: window.wholeNanoseconds), PlotView.windows.lowerBound), PlotView.windows.upperBound)
  }

  /// A key was pressed.
  mutating func press(_ key: UInt8, now: Int64) {
    switch Character(Unicode.Scalar(key)) {
    case "q": isDone = true
    case "p": pausedAt = pausedAt == nil ? now : nil
    case "+": window = max(window / 2, PlotView.windows.lowerBound)
    case "-": window = min(window * 2, PlotView.windows.upperBound)
    default: break
    }
  }

  /// The lines of the whole screen.
  func lines(_ model: PlotModel, now: Int64, isConnected: Bool, rows: Int, columns: Int) -> [String] {
    let end = pausedAt ?? now
    let value = model.last.map { ValueText.shown($0) } ?? "no value"
    let state = (isConnected ? "" : ", the hub is away") + (pausedAt == nil ? "" : ", paused")
    let header = "\(name): \(value), \(model.changes) changes\(state)"
    let footer = "the last \(PlotView.text(window))   q quit  + - zoom  p pause"
    let body = chart(model, end: end, rows: max(1, rows - 2), columns: columns)
    return ([header] + body + [footer]).prefix(rows).map { ValueText.cut($0, columns) }
  }

  /// The chart with the values of its highest, middle and lowest line before it.
  private func chart(_ model: PlotModel, end: Int64, rows: Int, columns: Int) -> [String] {
    let (start, overflow) = end.subtractingReportingOverflow(window)
    guard !overflow, let span = PlotModel.span(of: model.ranges(columns * 2, from: start, to: end)) else {
      return [String](repeating: "", count: rows)
    }
    let middle = span.lowerBound + (span.upperBound - span.lowerBound) / 2
    var labels = [String](repeating: "", count: rows)
    labels[rows / 2] = PlotModel.label(middle, in: span)
    if span.lowerBound < span.upperBound {
      labels[rows - 1] = PlotModel.label(span.lowerBound, in: span)
      labels[0] = PlotModel.label(span.upperBound, in: span)
    }
    let width = labels.map(\.count).max() ?? 0
    var canvas = PlotCanvas(columns: max(1, columns - width - 2), rows: rows)
    canvas.draw(model.ranges(canvas.width, from: start, to: end), in: span)
    return zip(labels, canvas.lines).map { label, line in
      String(repeating: " ", count: width - label.count) + label + (label.isEmpty ? " │" : " ┤") + line
    }
  }

  /// `90s`, `1.5s`.
  static func text(_ nanoseconds: Int64) -> String {
    let tenths = nanoseconds / 100_000_000
    return tenths % 10 == 0 ? "\(tenths / 10)s" : DecimalText.of(UInt64(tenths), digits: 1) + "s"
  }
}
