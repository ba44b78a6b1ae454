// What must hold for the deadlines of watches between two turns.

@testable import HubCore
@testable import HubEngine

extension Feed {
  func checkDeadlines(_ broken: inout [String]) {
    var watchers: [UInt64: Int] = [:]
    var listeners: [UInt64: Set<SessionID>] = [:]
    var first: [SessionID: UInt64] = [:]
    for (session, filter) in filters {
      guard let deadlines = filter.deadlines else { continue }
      let times = Dictionary(uniqueKeysWithValues: deadlines.alarms.entries.map { ($0.key, $0.time) })
      if Set(times.keys) != Set(deadlines.stores.keys) {
        broken.append("Deadlines: the alarms of \(session) are \(times), its stores \(deadlines.stores)")
      }
      for (store, deadline) in deadlines.stores {
        watchers[store, default: 0] += 1
        if deadline.told != .nothing, !deadline.isNews { listeners[store, default: []].insert(session) }
        let runs = deadline.told != .overdue && !deadline.isNews
        if runs != (times[store] ?? .max < .max) { broken.append("Deadlines: \(deadline) of \(store)") }
        if deadline.isNews, !deadlines.news.contains(store) {
          broken.append("Deadlines: \(store) is forgotten")
        }
      }
      if let time = times.values.min(), time < .max { first[session] = time }
      if hasNews(session), sessions[session].delivery == .live, !sessions[session].isQueued {
        broken.append("Deadlines: \(session) sleeps although it has news")
      }
    }
    if first != Dictionary(uniqueKeysWithValues: alarms.entries.map { ($0.key, $0.time) }) {
      broken.append("Deadlines: the alarms are \(alarms.entries), not \(first)")
    }
    if watchers != written.mapValues(\.sessions) {
      broken.append("Deadlines: the watched stores are \(written), not \(watchers)")
    }
    if listeners != written.mapValues(\.listeners).filter({ !$0.value.isEmpty }) {
      broken.append("Deadlines: those who listen are \(written), not \(listeners)")
    }
  }
}
