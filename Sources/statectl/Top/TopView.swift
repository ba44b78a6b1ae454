// The view of `statectl top`, and its keys.

internal import HubCore

struct TopView {
  private(set) var isPaused = false
  private(set) var showsClients = false
  private(set) var isDone = false
  private var isTyping = false
  private var first = 0

  /// A key was pressed.
  mutating func press(_ key: UInt8, _ model: inout TopModel) {
    if isTyping { return type(key, &model) }
    switch Character(Unicode.Scalar(key)) {
    case "q": isDone = true
    case "p": isPaused.toggle()
    case "c": showsClients.toggle()
    case "s":
      let orders = TopModel.Order.allCases
      let next = (orders.firstIndex(of: model.order) ?? 0) + 1
      model.order = orders[next % orders.count]
    case "/":
      isTyping = true
      model.filter = ""
    case "j": first += 1
    case "k": first = max(0, first - 1)
    default: break
    }
  }

  private mutating func type(_ key: UInt8, _ model: inout TopModel) {
    switch key {
    case 0x0A, 0x0D: isTyping = false
    case 0x1B:
      isTyping = false
      model.filter = ""
    case 0x08, 0x7F: model.filter = String(model.filter.dropLast())
    case 0x21..<0x7F: model.filter.append(Character(Unicode.Scalar(key)))
    default: break
    }
  }

  /// The line with the names of the columns.
  static let heading = 3

  /// The lines of the whole screen.
  mutating func lines(
    _ model: TopModel, _ hub: borrowing TopHub, rows: Int, columns: Int
  ) -> [String] {
    let table = showsClients ? TopScreen.clients(hub, columns: columns) : stores(model, columns)
    let room = max(1, rows - TopView.heading)
    // The heading stays.
    first = min(first, max(0, table.count - room))
    let body = table.prefix(1) + table.dropFirst(1 + first).prefix(max(0, room - 1))
    return (header(model, hub).map { ValueText.cut($0, columns) } + body).prefix(rows).map { $0 }
  }

  /// The same for an output that is not a terminal: everything, without keys.
  func plainLines(_ model: TopModel, _ hub: borrowing TopHub, columns: Int) -> [String] {
    header(model, hub).prefix(2) + stores(model, columns)
  }

  private func stores(_ model: TopModel, _ columns: Int) -> [String] {
    TopScreen.table(model.visible, columns: columns)
  }

  private func header(_ model: TopModel, _ hub: borrowing TopHub) -> [String] {
    let state =
      hub.release.map { "statehub \($0)" + (hub.hasFigures ? ", revision \(hub.figure("revision"))" : "") }
      ?? "the hub is away"
    let counters =
      hub.hasFigures || hub.release == nil
      ? "\(hub.figure("stores")) stores, \(hub.figure("clients")) clients, \(hub.figure("watches")) watches; "
        + "\(TopScreen.rate(hub.rate("changes"))) changes/s, \(TopScreen.rate(hub.rate("requests"))) requests/s"
      : "this hub has access rules, and shows its counters and clients to its own user and root"
    let filter = isTyping || !model.filter.isEmpty ? ", with \(model.filter)\(isTyping ? "_" : "")" : ""
    return [
      state + (isPaused ? ", paused" : ""),
      counters,
      "by \(model.order.rawValue)\(filter)   q quit  s sort  / filter  j k scroll  p pause  c clients",
    ]
  }
}

extension TopScreen {
  private static let longestName = 20

  static func clients(_ hub: borrowing TopHub, columns: Int) -> [String] {
    var table = Columns(
      "PID", "USER", "UNIT", "NAME", "SHARE", "REQUESTS/s", "WATCHES", "HELD", "CATCH-UPS", "STATE")
    for client in hub.clients {
      let summary = client.summary
      table.add(
        summary.peer.pid == 0 ? "-" : String(summary.peer.pid), hub.users.text(of: summary.peer.uid),
        ValueText.cut(summary.unit, longestName), ValueText.cut(ValueText.visible(summary.name), longestName),
        rate(client.share * 100) + "%",
        rate(client.rate), String(summary.watches), String(summary.held), String(summary.catchUps),
        summary.behind ? "behind" : "current")
    }
    return table.takeLines().map { ValueText.cut($0, columns) }
  }
}
