// The records that a monitoring connection has not fetched yet: bounded; further ones are counted.

import HubCore

struct Monitor {
  let session: SessionID
  var filter: MonitorFilter
  /// Bounded by `mostBytes`. Later records are dropped when it is full, so that the kept ones have no gap.
  private var records: [MonitorRecord] = []
  private var bytes = 0
  /// Not kept since the last record.
  private var missed: UInt32 = 0

  /// The most connections that can monitor a hub at once.
  static let most = 8
  private static let mostBytes = 1 << 20

  init(_ session: SessionID, _ filter: MonitorFilter) {
    self.session = session
    self.filter = filter
  }

  /// - Parameter names: the stores and globs that it names.
  func wants(_ record: MonitorRecord, about names: [String]) -> Bool {
    if let uid = filter.uid, uid != record.uid { return false }
    if !filter.kinds.isEmpty, !filter.kinds.contains(record.kind) { return false }
    guard let pattern = filter.pattern else { return true }
    return names.contains { pattern.matches($0) }
  }

  mutating func append(_ record: MonitorRecord) {
    guard bytes + record.cost <= Monitor.mostBytes else {
      missed = missed == .max ? .max : missed + 1
      return
    }
    records.append(record)
    records[records.count - 1].missed = missed
    missed = 0
    bytes += record.cost
  }

  /// Takes the oldest records, about so many bytes of them, and at least one.
  mutating func page(bytes limit: Int) -> MonitorPage {
    var taken = 0
    let count = records.firstIndex { record in
      defer { taken += record.cost }
      return taken >= limit
    }
    let page = Array(records[..<(count ?? records.count)])
    records.removeFirst(page.count)
    bytes -= page.reduce(0) { $0 + $1.cost }
    let rest = records.isEmpty ? missed : 0
    missed -= rest
    return MonitorPage(records: page, missed: rest, more: !records.isEmpty, begins: false)
  }
}
