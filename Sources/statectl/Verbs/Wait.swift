// `statectl wait`: a watch of one store that ends when a condition holds.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let wait = VerbSpec(
    "wait", "STORE eq|ne|lt|le|gt|ge|exists|absent|changes [V]", 2...3,
    summary: "wait until a condition holds, and print the value",
    details: """
      Prints the value and ends as soon as the condition holds; the symbols == != < <= > >= work as well
      (quoted, because of the shell). It waits for a store that does not exist yet, except with absent and ne:
      a missing store is not equal. changes: the next change from now on, including a removal or the end of
      a lifetime. --timeout limits the whole wait; its status is 124. With --timeout 0 it looks once.
      """,
    examples: [
      "wait network.up eq true --timeout 30", "wait jobs.left '<=' 0", "wait config changes",
      "wait leader absent",
    ],
    action: .follow(WaitCommand.init))
}

struct WaitCommand: FollowingCommand {
  private let store: StoreName
  private let condition: WaitCondition
  private let json: Bool

  init(_ words: CommandLineWords) throws(Failure) {
    store = try words.storeName()
    condition = try WaitCondition(
      words.operands[1].text, words.operands.count > 2 ? words.operands[2] : nil)
    json = words.has(.json)
  }

  /// It checks every change: a value that meets the condition for a moment is enough.
  func run(at place: SocketPath, within patience: Patience, _ output: inout Output) throws(Failure) {
    var events: [StoreEvent] = []
    var follower = try Follower(
      [NamePattern(store)], policy: .every, at: place, for: .wait, until: patience.deadline, into: &events)
    var state = State()
    while true {
      let mayHaveMore = try follower.advance(until: patience.deadline, into: &events)
      for event in events {
        guard let news = state.take(event, store) else { continue }
        let hasChanged = event.kind == .changed || event.kind == .removed
        if try condition.holds(for: news.value, hasChanged: hasChanged, store: store.text) {
          return try show(news, to: &output)
        }
      }
      events.removeAll(keepingCapacity: true)
      if state.isKnown, patience.looksOnce { throw timeout(state) }
      if mayHaveMore { continue }
      if patience.deadline <= .now { throw timeout(state) }
      let arrived = Waiting.poll(
        hub: follower.descriptor, child: -1, output: output.descriptor,
        until: min(patience.deadline, follower.nextAttempt))
      if arrived.isOutputClosed { throw .outputClosed }
    }
  }

  /// What is known of the store.
  private struct State {
    private(set) var value: Value?
    /// The hub has said whether there is such a store.
    private(set) var isKnown = false

    /// - Returns: what to check the condition against: an event of the store, or that there is none.
    mutating func take(_ event: StoreEvent, _ store: StoreName) -> StoreEvent? {
      if event.kind.isAboutStore {
        value = event.value
        return event
      }
      guard event.kind == .synced, !isKnown else { return nil }
      isKnown = true
      if value != nil { return nil }
      return StoreEvent(.synced, name: store.text, revision: event.revision, epoch: event.epoch)
    }
  }

  private func show(_ event: StoreEvent, to output: inout Output) throws(Failure) {
    if json {
      return try output.json { $0.members(of: event, kind: event.kind.isAboutStore ? nil : "absent") }
    }
    if let value = event.value { try output.value(value) }
  }

  private func timeout(_ state: State) -> Failure {
    let text =
      state.value.map { "the value is \(ValueText.line($0))" }
      ?? (state.isKnown ? "there is no such store" : "the hub did not tell the value")
    return .hub(HubError(.timeout, store: store.text, "the time is over, and \(text)"))
  }
}
