// What `statectl top` requests from the hub for each sample: counters, clients, and the watchers of the visible stores.

internal import HubCore
internal import HubTransport

struct TopHub: ~Copyable {
  struct Client {
    let summary: ClientSummary
    /// Requests per second.
    var rate = 0.0
    /// The part of the time that its requests have cost the hub.
    var share = 0.0
  }

  let users = UserNames()
  private let limit: Deadline
  private var link: Link
  private var requests: [Int32: ClientSummary] = [:]
  private var figures: [String: UInt64] = [:]
  private var rates: [String: Double] = [:]
  /// How many requests were made here since the counters were read: they are not the hub's load.
  private var asked: UInt64 = 0
  private(set) var clients: [Client] = []
  /// Nil while the hub is away.
  private(set) var release: String?

  private static let patience = Duration.seconds(1)

  /// - Parameter limit: when to wait no longer.
  init(_ place: SocketPath, until limit: Deadline) {
    self.limit = limit
    link = Link(to: place, for: .top, isQuiet: true)
  }

  func figure(_ name: String) -> UInt64 { figures[name] ?? 0 }
  /// The hub shows its counters to this user.
  var hasFigures: Bool { !figures.isEmpty }
  func rate(_ name: String) -> Double { rates[name] ?? 0 }

  /// - Parameters:
  ///   - seconds: since the last sample.
  ///   - model: gets the watchers of its stores.
  mutating func sample(seconds: Double, rows: Int, _ model: inout TopModel) {
    do throws(HubError) {
      if !link.isOpen { try link.open(until: min(limit, .after(TopHub.patience))) }
      try ask(seconds, rows, &model)
    } catch {
      link.connection = nil
      release = nil
      rates = [:]
      clients = []
    }
  }

  private mutating func ask(_ seconds: Double, _ rows: Int, _ model: inout TopModel) throws(HubError) {
    let deadline = min(limit, .after(TopHub.patience))
    // With access rules, only users who may do everything get these.
    do throws(HubError) {
      try askForCounters(seconds, deadline)
      try askForClients(seconds, deadline)
    } catch {
      guard error.code == .denied else { throw error }
      (figures, rates, clients) = ([:], [:], [])
    }
    let names = model.visible.prefix(rows).compactMap { try? StoreName($0.name) }
    let questions = names.compactMap { link.connection?.enqueue(.describe(.name($0))) }
    asked = UInt64(questions.count) + 2
    for (name, question) in zip(names, questions) {
      do throws(HubError) {
        guard case .described(let store)? = try link.connection?.receive(question, deadline: deadline) else {
          continue
        }
        // One of them is this program.
        model.note(watchers: max(1, store.watchers) - 1, of: name.text)
      } catch {
        // It may have been removed, or may have become unreadable.
        guard error.code == .noSuchStore || error.code == .denied else { throw error }
      }
    }
    release = link.welcome?.release
  }

  private mutating func askForCounters(_ seconds: Double, _ deadline: Deadline) throws(HubError) {
    guard case .statistics(let statistics)? = try link.connection?.request(.stats, deadline: deadline) else {
      return
    }
    for statistic in statistics {
      let before = figures.updateValue(statistic.value, forKey: statistic.name)
      let own = statistic.name == "requests" ? asked : 0
      let more = before.map { statistic.value > $0 + own ? statistic.value - $0 - own : 0 } ?? 0
      rates[statistic.name] = seconds > 0 ? Double(more) / seconds : 0
    }
  }

  private mutating func askForClients(_ seconds: Double, _ deadline: Deadline) throws(HubError) {
    guard case .clients(let summaries, _)? = try link.connection?.request(.clients(), deadline: deadline)
    else {
      return
    }
    clients = summaries.map { summary in
      var client = Client(summary: summary)
      if let before = requests[summary.session], before.since == summary.since, seconds > 0 {
        client.rate = Double(summary.requests - min(before.requests, summary.requests)) / seconds
        client.share = Double(summary.cost - min(before.cost, summary.cost)) / seconds / 1_000_000_000
      }
      return client
    }.sorted { ($0.share, $1.summary.session) > ($1.share, $0.summary.session) }
    requests = [:]
    for summary in summaries { requests[summary.session] = summary }
  }
}
