// A program with the client's real core, its connection, its streams and its requests. The scenario says what it does when.

import HubCore
import HubTransport
import TestSupport

@testable import HubClient

/// A request that somebody waits for, and what may become of it.
struct SimulatedCall {
  let call: Call
  let id: UInt32
  let request: Request
  let deadline: Deadline
  var isCancelled = false

  var tokens: [Int64] { request.operations.compactMap(\.token) }
}

final class SimulatedProgram {
  let hub: SimulatedHub
  private var core: ClientCore
  private var effects = Effects()
  private var assembler = FrameAssembler(maximumLength: .max)
  private(set) var wire: Int32?
  private(set) var streams: [SimulatedStream] = []
  private var calls: [SimulatedCall] = []
  private var settled: [(tokens: [Int64], most: Int)] = []
  private(set) var problems: [String] = []
  var now = Deadline(nanoseconds: 1)
  /// Of new connections.
  var capacity = Int.max
  /// Prints what it receives.
  var isTraced = false
  /// What a hostile hub makes of the bytes that it sends; then nothing that is shown means anything.
  var corruption: ((inout [UInt8]) -> Void)?
  /// The hub does not take connections.
  var isRefused = false

  init(_ hub: SimulatedHub, seed: UInt64) {
    self.hub = hub
    core = ClientCore(name: "program", seed: seed)
  }

  /// Carries out what the core wants, as its drivers do.
  private func run() {
    while true {
      let order = core.step(now: now, &effects)
      effects.run()
      checkCalls()
      switch order {
      case .none:
        if !core.unsent.isEmpty, let wire {
          hub.append(core.unsent.array, to: wire)
          core.didSend(core.unsent.count)
        }
        return
      case .disconnect: drop()
      case .connect:
        if isRefused {
          core.connectFailed(HubError(.noHub, "refused"), now: now, &effects)
        } else {
          assembler = FrameAssembler(maximumLength: .max)
          wire = hub.connect(capacity: capacity)
          if isTraced { print("  -- connected") }
          core.connected(now: now, &effects)
        }
      }
    }
  }

  private func drop() {
    if isTraced { print("  -- the connection ends") }
    if let wire { hub.disconnect(wire) }
    wire = nil
  }

  // MARK: What happens to it

  /// Reads up to `count` bytes.
  func read(_ count: Int) {
    guard let wire else { return }
    var bytes = hub.take(wire, count)
    corruption?(&bytes)
    bytes.withByteView { assembler.append($0) }
    var messages: [HubMessage] = []
    let broken = assembler.drain {
      messages.append(HubMessage(decoding: $0))
      return true
    }
    if let broken { messages.append(.malformed(broken)) }
    for message in messages {
      if isTraced { print("  <-", message) }
      let error = core.receive(message, now: now, &effects)
      effects.run()
      checkCalls()
      if let error {
        if corruption == nil { problems.append("given up: \(error)") }
        drop()
        core.lost(error, now: now, &effects)
        break
      }
    }
    run()
  }

  /// The connection breaks; or the client notices that the hub has broken it.
  func lose() {
    guard wire != nil else { return }
    drop()
    core.lost(HubError(.connectionLost, "lost"), now: now, &effects)
    run()
  }

  var noticesLoss: Bool { wire.map { hub.wires[$0] == nil } ?? false }

  /// Lets time pass, from one deadline to the next.
  func advance(to time: Deadline) {
    while core.nextDeadline <= time, core.nextDeadline > now {
      now = core.nextDeadline
      run()
    }
    now = max(now, time)
    run()
  }

  // MARK: What it does

  func open(_ key: WatchKey, _ policy: StreamPolicy, _ content: EventStream.Content, expectsEvery: Bool) {
    let stream = SimulatedStream(key, policy, content, hub.past, expectsEvery: expectsEvery)
    streams.append(stream)
    core.open(stream.stream, &effects)
    run()
  }

  func close(_ index: Int) {
    let stream = streams.remove(at: index)
    problems += stream.problems
    core.close(stream.stream, &effects)
    run()
  }

  func begin(_ request: Request) {
    let call = Call()
    let deadline = now + .seconds(5)
    let id = core.begin(request, call, deadline: deadline, &effects)
    calls.append(SimulatedCall(call: call, id: id, request: request, deadline: deadline))
    run()
  }

  func cancel(_ random: inout SeededGenerator) {
    guard let index = calls.indices.randomElement(using: &random) else { return }
    calls[index].isCancelled = true
    core.cancel(calls[index].id, calls[index].call, &effects)
    run()
  }

  // MARK: What has to hold

  private func checkCalls() {
    calls.removeAll { call in
      guard let result = call.call.result else { return false }
      check(call, result)
      return true
    }
  }

  private func check(_ call: SimulatedCall, _ result: Result<Answer, HubError>) {
    let executed = call.tokens.map { hub.past.executions[$0, default: 0] }
    switch result {
    case .success(let answer):
      if call.request.isRead { return }
      settled.append((call.tokens, 1))
      if case .written(let result) = answer.reply, result.changed, executed.contains(0) {
        problems.append("\(call.request) succeeded and was not carried out")
      }
      if !call.isCancelled, call.deadline > now { checkOwnWrites(call.request, answer) }
    case .failure(let error):
      if error.code == .outcomeUnknown || error.message.contains("unknown") {
        settled.append((call.tokens, 1))
      } else {
        // It must not have been carried out, and never be.
        settled.append((call.tokens, 0))
        if error.code.rawValue >= 100, ![.timeout, .closed, .noHub, .connectionLost].contains(error.code) {
          problems.append("\(call.request) failed with \(error)")
        }
      }
    }
  }

  /// When a write has returned, every stream and cached read is at or past it.
  private func checkOwnWrites(_ request: Request, _ answer: Answer) {
    let results: [WriteResult]
    switch answer.reply {
    case .written(let result): results = [result]
    case .committed(_, let list): results = list
    default: return
    }
    for (operation, result) in zip(request.operations, results) {
      let name = operation.storeName
      for subscription in core.subscriptions(to: name) where subscription.view.isSynced {
        let view = subscription.view
        guard view.epoch == answer.epoch, let state = view.state(of: name) else { continue }
        // A view that goes on after a loss may stand behind: then it has said nothing else since.
        if state.revision < result.revision, result.changed {
          problems.append(
            "Read your writes: \(operation) is \(result.revision), a view shows \(state); open \(subscription.isOpen) \(subscription.reopening) complete \(core.complete) bookmark \(view.bookmark?.revision as Any) \(subscription.key.patterns.map(\.text))"
          )
        }
      }
    }
  }

  /// Requests that nobody has answered or given up.
  var unfinished: [String] { calls.map { "\($0.request) never ended" } }

  /// Everything has come to rest: all streams agree with the hub, and nothing was done twice.
  func settle() {
    for stream in streams {
      stream.settle(hub.states, hub.epoch)
      problems += stream.problems
    }
    checkCalls()
    problems += unfinished
    for (tokens, most) in settled {
      for token in tokens where hub.past.executions[token, default: 0] > most {
        problems.append(
          "\(token) was carried out \(hub.past.executions[token]!) times, at most \(most) allowed")
      }
    }
  }
}
