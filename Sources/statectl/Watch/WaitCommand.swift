// `statectl wait`: a watch of one store that ends when a condition holds.

internal import HubCore
internal import HubTransport

struct WaitCommand {
  private let store: StoreName
  private let condition: WaitCondition
  private let limit: Duration?
  private let json: Bool

  init(_ words: CommandLineWords) throws(Failure) {
    store = try words.storeName()
    condition = try WaitCondition(
      words.operands[1].text, words.operands.count > 2 ? words.operands[2] : nil)
    limit = try words.duration(.timeout)
    json = words.has(.json)
  }

  /// Every change is looked at: a value that fulfils the condition for a moment is enough.
  func run(at place: SocketPath, until deadline: Deadline, _ output: inout Output) throws(Failure) {
    var events: [StoreEvent] = []
    var follower = try Follower(
      [NamePattern(store)], policy: .every, at: place, for: .wait, until: deadline, into: &events)
    var last: Value?
    while true {
      let mayHaveMore = try follower.advance(until: deadline, into: &events)
      for event in events where event.kind.isAboutStore {
        last = event.value
        guard let value = event.value,
          try condition.holds(for: value, hasChanged: event.kind == .changed, store: store.text)
        else { continue }
        return try show(event, value, to: &output)
      }
      events.removeAll(keepingCapacity: true)
      if mayHaveMore { continue }
      if deadline <= .now { throw timeout(last) }
      let arrived = Waiting.poll(
        hub: follower.descriptor, child: -1, output: output.descriptor,
        until: min(deadline, follower.nextAttempt))
      if arrived.isOutputClosed { throw .outputClosed }
    }
  }

  private func show(_ event: StoreEvent, _ value: Value, to output: inout Output) throws(Failure) {
    if json { return try output.json { $0.members(of: event) } }
    try output.value(value)
  }

  private func timeout(_ last: Value?) -> Failure {
    let state = last.map { "the value is \(ValueText.line($0))" } ?? "there is no such store"
    return .hub(HubError(.timeout, store: store.text, "the time is over, and \(state)"))
  }
}
