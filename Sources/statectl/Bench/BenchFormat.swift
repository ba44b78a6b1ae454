// How `statectl bench` shows a result: a row of a table, one short line, or JSON.

internal import HubCore

enum BenchFormat {
  case table, quiet, json

  private static let widths = [8, 11, 12, 10, 10, 10, 10, 6]

  /// The text before the first result.
  func heading(_ load: BenchLoad) -> [String]? {
    guard self == .table else { return nil }
    return [
      "\(load.connections) connections, \(load.pipeline) requests at once on each, values of \(load.size) bytes",
      BenchFormat.row("TEST", "COUNT", "PER SECOND", "P50 ms", "P99 ms", "P99.9 ms", "WORST ms", "BUSY"),
    ]
  }

  func write(
    _ result: BenchResult, of test: BenchTest, _ load: BenchLoad, to output: inout Output
  ) throws(Failure) {
    let times = result.times
    let rate = String(UInt64(result.perSecond.rounded()))
    switch self {
    case .table:
      try output.line(
        BenchFormat.row(
          test.rawValue, String(times.count), rate, BenchFormat.milliseconds(times.percentile(500)),
          BenchFormat.milliseconds(times.percentile(990)), BenchFormat.milliseconds(times.percentile(999)),
          BenchFormat.milliseconds(times.worst), "\(Int((result.busy * 100).rounded()))%"))
    case .quiet:
      let p50 = BenchFormat.milliseconds(times.percentile(500))
      try output.line("\(test.rawValue): \(rate) \(test.unit) per second, p50 \(p50) ms")
    case .json:
      try output.json {
        $0.member("test", test.rawValue)
        $0.member("connections", UInt(load.connections))
        $0.member("pipeline", UInt(load.pipeline))
        $0.member("bytes", UInt(load.size))
        $0.member("count", times.count)
        $0.member("skipped", result.skipped)
        $0.member("seconds", .double(result.seconds))
        $0.member("perSecond", .double(result.perSecond))
        $0.member("p50Nanoseconds", times.percentile(500))
        $0.member("p99Nanoseconds", times.percentile(990))
        $0.member("p999Nanoseconds", times.percentile(999))
        $0.member("worstNanoseconds", times.worst)
        $0.member("busy", .double(result.busy))
      }
    }
  }

  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    DecimalText.of((nanoseconds + 500) / 1000, digits: 3)
  }

  /// The first cell begins its column, the others end theirs.
  private static func row(_ cells: String...) -> String {
    var line = ""
    for (cell, width) in zip(cells, widths) {
      let room = String(repeating: " ", count: max(1, width - cell.count))
      line += line.isEmpty ? cell + room : room + cell
    }
    return line
  }
}
