// The picture that `statectl plot --svg` writes: the same chart as lines, with its time and its range.

internal import HubCore
internal import HubSystem

/// The file is opened at the start, so that an hour's record is not lost to a misspelt path.
struct PlotPicture: ~Copyable {
  private let path: String
  private let file: Descriptor

  private static let left = 90
  private static let top = 30
  /// The chart's own size; a line for each point of its width.
  private static let width = 720
  private static let height = 240

  init(at path: String) throws(Failure) {
    self.path = path
    file = try SystemError.attempt(try Descriptor(creating: path)) {
      Failure.system("cannot write \(path)", $0)
    }
  }

  func write(_ model: PlotModel, name: String, from start: Int64, to end: Int64) throws(Failure) {
    let text = PlotPicture.svg(model, name: name, from: start, to: end)
    let problem = Array(text.utf8).withUnsafeBytes { Descriptor.writeAll($0, to: file.raw) }
    if let problem { throw .system("cannot write \(path)", problem) }
  }

  static func svg(_ model: PlotModel, name: String, from start: Int64, to end: Int64) -> String {
    let ranges = model.ranges(width, from: start, to: max(end, start + 1))
    let span = PlotModel.span(of: ranges)
    var path = ""
    for (x, range) in ranges.enumerated() {
      guard let range, let span else { continue }
      path += "M\(left + x),\(y(range.lowerBound, span))V\(y(range.upperBound, span))"
    }
    var labels = ""
    if let span {
      for value in Set([span.lowerBound, span.upperBound]).sorted() {
        labels += """
            <text x="\(left - 8)" y="\(y(value, span))" text-anchor="end" dominant-baseline="middle">\
          \(PlotModel.label(value, in: span))</text>

          """
      }
    }
    let bottom = top + height
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(left + width + 20) \(bottom + 40)" \
      font-family="sans-serif" font-size="13" fill="#444">
        <text x="\(left)" y="18" font-size="15">\(name)</text>
        <path d="M\(left - 2),\(top)V\(bottom + 2)H\(left + width)" fill="none" stroke="#aaa"/>
      \(labels)  <text x="\(left)" y="\(bottom + 22)">\(TimeText.human(start))</text>
        <text x="\(left + width)" y="\(bottom + 22)" text-anchor="end">\(TimeText.human(end))</text>
        <path d="\(path)" fill="none" stroke="#1f6feb" stroke-width="1.5" stroke-linecap="square"/>
      </svg>

      """
  }

  /// The vertical position of a value, with one decimal.
  private static func y(_ value: Double, _ span: ClosedRange<Double>) -> String {
    let size = span.upperBound - span.lowerBound
    let part = size > 0 ? (span.upperBound - value) / size : 0.5
    return DecimalText.of(UInt64((Double(top) + part * Double(height)) * 10), digits: 1)
  }
}
