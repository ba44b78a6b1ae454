// The layout of `statectl top`: lines of a given width. It does not write.

internal import HubCore

enum TopScreen {
  private static let bars = Array(LiveScreen.isUTF8 ? "▁▂▃▄▅▆▇█" : "__..--##")

  /// The rates as bars, the highest of them a whole one; a space where nothing happened.
  static func trend(_ rates: [Double]) -> String {
    let highest = rates.max() ?? 0
    var trend = String(repeating: " ", count: max(0, TopModel.trendLength - rates.count))
    for rate in rates { trend.append(rate == 0 ? " " : bars[min(7, Int(rate / highest * 8))]) }
    return trend
  }

  /// `12.3`, `1234`: three digits are enough to read.
  static func rate(_ rate: Double) -> String {
    rate >= 100 ? String(Int(rate.rounded())) : DecimalText.of(UInt64((rate * 10).rounded()), digits: 1)
  }

  private static let narrow = 60

  /// The heading and a line for each store.
  static func table(_ rows: [TopModel.Row], columns: Int) -> [String] {
    let longest = rows.map { $0.name.utf8.count }.max() ?? 0
    // The other columns take 35, a value 20 where there is room.
    let nameWidth = max(4, min(longest, max(columns * 2 / 5, columns - 55)))
    func line(_ name: String, _ rate: String, _ trend: String, _ watchers: String, _ value: String) -> String
    {
      let left = padded(name, nameWidth) + "  " + aligned(rate, 7) + "  "
      // A narrow terminal shows only values.
      if columns < narrow { return ValueText.cut(left + value, columns) }
      return ValueText.cut(
        "\(left)\(padded(trend, TopModel.trendLength))  \(aligned(watchers, 8))  \(value)", columns)
    }
    return [line("NAME", "RATE/s", "TREND", "WATCHERS", "VALUE")]
      + rows.map { row in
        line(
          row.name, TopScreen.rate(row.rate), trend(row.rates), row.watchers.map { String($0) } ?? "-",
          ValueText.shown(row.value))
      }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    let text = ValueText.cut(text, width)
    return text + String(repeating: " ", count: width - text.count)
  }

  private static func aligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
