// The model of `statectl top`: the stores with their rates, and the user's choices. It makes no requests.

internal import HubCore

struct TopModel {
  struct Row {
    var name: String
    var value: Value
    var changed: Int64
    var watchers: UInt32?
    var skipped: UInt64 = 0
    /// Changes since the last sample.
    fileprivate var changes: UInt64 = 0
    /// Changes per second at the last samples, the newest last.
    fileprivate(set) var rates: [Double] = []
    /// The mean of the last samples: that of one would be 0 and 2 alternately for a store that changes once in a sample.
    var rate: Double {
      let last = rates.suffix(TopModel.meanLength)
      return last.isEmpty ? 0 : last.reduce(0, +) / Double(last.count)
    }
  }

  enum Order: String, CaseIterable {
    case rate, name, changed, watchers
  }

  private var rows: [String: Row] = [:]
  var order = Order.rate
  var filter = ""

  /// How many samples a trend shows.
  static let trendLength = 12
  /// How many samples a rate is the mean of.
  static let meanLength = 4

  var count: Int { rows.count }

  mutating func take(_ event: StoreEvent) {
    guard event.kind.isAboutStore else { return }
    guard let value = event.value else {
      rows[event.name] = nil
      return
    }
    var row = rows[event.name] ?? Row(name: event.name, value: value, changed: event.time)
    row.value = value
    row.changed = event.time
    if event.kind == .changed {
      row.changes += 1 + (event.skipped ?? 0)
      row.skipped += event.skipped ?? 0
    }
    rows[event.name] = row
  }

  /// The time since the last sample.
  mutating func sample(seconds: Double) {
    guard seconds > 0 else { return }
    for name in rows.keys {
      guard let changes = rows[name]?.changes else { continue }
      rows[name]?.rates.append(Double(changes) / seconds)
      rows[name]?.changes = 0
      if let excess = rows[name].map({ $0.rates.count - TopModel.trendLength }), excess > 0 {
        rows[name]?.rates.removeFirst(excess)
      }
    }
  }

  mutating func note(watchers: UInt32, of name: String) { rows[name]?.watchers = watchers }

  /// Byte by byte: the library's search would add a whole pattern engine to the program.
  private func isShown(_ name: String) -> Bool {
    var rest = Substring(name).utf8
    while rest.count >= filter.utf8.count {
      if rest.starts(with: filter.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }

  /// The visible rows in their order: names break ties, so that rows keep their position.
  var visible: [Row] {
    let shown = filter.isEmpty ? Array(rows.values) : rows.values.filter { isShown($0.name) }
    return shown.sorted { a, b in
      switch order {
      case .rate where a.rate != b.rate: a.rate > b.rate
      case .changed where a.changed != b.changed: a.changed > b.changed
      case .watchers where a.watchers != b.watchers: a.watchers ?? 0 > b.watchers ?? 0
      default: a.name < b.name
      }
    }
  }
}
