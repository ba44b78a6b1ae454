// Tests which effects are alive after any history of starts, cancels, removals, moves and replacements, against a model.

import Foundation
import HubReducers
import HubReducersTesting
import Synchronization
import TestSupport
import Testing

/// The effects that are running: where they belong and under which key.
private final class Alive: Sendable {
  struct Effect: Hashable, Comparable, Sendable {
    var owner: String
    var key: Int

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.owner, lhs.key) < (rhs.owner, rhs.key) }
  }

  private let effects = Mutex<[Effect]>([])

  var all: [Effect] { effects.withLock { $0.sorted() } }

  func run(_ effect: Effect) async {
    effects.withLock { $0.append(effect) }
    await never()
    effects.withLock { effects in _ = effects.remove(at: effects.firstIndex(of: effect)!) }
  }
}

@Reducer
private struct Child {
  struct State: Equatable, Identifiable {
    var id: Int
  }

  enum Action: Equatable, Sendable {
    case start(Int)
    case restart(Int)
    case cancel(Int)
    case startAndGo(Int)
    case rename(Int)
  }

  let alive: Alive
  let kind: String

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      let owner = "\(kind) \(state.id)"
      switch action {
      case .start(let key), .startAndGo(let key): return run(owner, key)
      case .restart(let key): return run(owner, key, replaces: true)
      case .cancel(let key): return .cancel(id: key)
      case .rename(let id):
        state.id = id
        return .none
      }
    }
  }

  private func run(_ owner: String, _ key: Int, replaces: Bool = false) -> Effect<Action> {
    Effect.run { [alive] _ in await alive.run(Alive.Effect(owner: owner, key: key)) }
      .cancellable(id: key, cancelInFlight: replaces)
  }
}

@Reducer
private struct Parent {
  struct State: Equatable {
    var rows: IdentifiedArrayOf<Child.State> = []
    var detail: Child.State?
  }

  enum Action: Equatable, Sendable {
    case rows(IdentifiedActionOf<Child>)
    case detail(Child.Action)
    case own(Child.Action)
    case add(Int)
    case remove(Int)
    case reverse
    case show(Int?)
  }

  let alive: Alive

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .add(let id): state.rows.append(Child.State(id: id))
      case .remove(let id): state.rows.remove(id: id)
      case .reverse: state.rows = IdentifiedArray(uniqueElements: state.rows.reversed())
      case .show(let id): state.detail = id.map { Child.State(id: $0) }
      // The child is removed in the middle of its own action: what it has just started never runs.
      case .rows(.element(let id, .startAndGo)): state.rows.remove(id: id)
      case .detail(.startAndGo): state.detail = nil
      case .own(let action):
        var root = Child.State(id: 0)
        return Child(alive: alive, kind: "root").reduce(into: &root, action: action).map { .own($0) }
      case .rows, .detail: break
      }
      return .none
    }
    .forEach(\.rows, action: \.rows) { Child(alive: alive, kind: "row") }
    .ifLet(\.detail, action: \.detail) { Child(alive: alive, kind: "detail") }
  }
}

/// What should be alive, without an engine.
private struct Model {
  var effects: [Alive.Effect] = []
  var rows: [Int] = []
  var detail: Int?

  mutating func apply(_ action: Parent.Action) {
    switch action {
    case .add(let id): rows.append(id)
    case .remove(let id): removeRow(id)
    case .reverse: rows.reverse()
    case .show(let id):
      if id != detail { end("detail \(detail ?? 0)") }
      detail = id
    case .rows(.element(let id, let action)):
      if case .startAndGo = action { removeRow(id) } else { apply(action, to: "row \(id)") }
    case .detail(let action):
      guard case .startAndGo = action else { return apply(action, to: "detail \(detail ?? 0)") }
      end("detail \(detail ?? 0)")
      detail = nil
    case .own(.cancel(let key)): effects.removeAll { $0.key == key }
    case .own(let action): apply(action, to: "root 0")
    }
  }

  private mutating func apply(_ action: Child.Action, to owner: String) {
    switch action {
    case .start(let key): effects.append(Alive.Effect(owner: owner, key: key))
    case .restart(let key):
      effects.removeAll { $0 == Alive.Effect(owner: owner, key: key) }
      effects.append(Alive.Effect(owner: owner, key: key))
    case .cancel(let key): effects.removeAll { $0 == Alive.Effect(owner: owner, key: key) }
    case .startAndGo, .rename: break
    }
  }

  private mutating func removeRow(_ id: Int) {
    end("row \(id)")
    rows.removeAll { $0 == id }
  }

  private mutating func end(_ owner: String) { effects.removeAll { $0.owner == owner } }

  /// An action that makes sense now.
  func action(_ random: inout SeededGenerator) -> Parent.Action {
    let key = Int.random(in: 0..<3, using: &random)
    let child: Child.Action =
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3: .start(key)
      case 4: .restart(key)
      case 5, 6: .cancel(key)
      default: .startAndGo(key)
      }
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1: return .add((rows.max() ?? 0) + 1)
    case 2: return rows.randomElement(using: &random).map { .remove($0) } ?? .reverse
    case 3: return .reverse
    case 4: return .show(Bool.random(using: &random) ? nil : Int.random(in: 1...3, using: &random))
    case 5: return .own(.start(key))
    case 6: return .own(Bool.random(using: &random) ? .restart(key) : .cancel(key))
    case 7...9: return detail == nil ? .show(1) : .detail(child)
    default:
      return rows.randomElement(using: &random).map { .rows(.element(id: $0, action: child)) } ?? .add(1)
    }
  }
}

@Suite struct LifecycleModelTests {
  static let seeds = testSeeds(usually: 12)

  @Test("after any history exactly those effects run that nobody has ended", arguments: 1...seeds)
  func histories(seed: Int) async {
    var random = SeededGenerator(seed: UInt64(seed))
    let alive = Alive()
    var model = Model()
    let store = TestStore(initialState: Parent.State()) { Parent(alive: alive) }
    store.exhaustivity = .off
    var history: [Parent.Action] = []
    for _ in 0..<60 {
      let action = model.action(&random)
      history.append(action)
      model.apply(action)
      await store.send(action)
      #expect(alive.all == model.effects.sorted(), "\(history)")
      #expect(store.state.rows.map(\.id) == model.rows && store.state.detail?.id == model.detail)
      if alive.all != model.effects.sorted() { return }
    }
    await store.cancelInFlightEffects()
    #expect(alive.all == [])
  }

  @Test("an element that takes another id leaves its effects behind, and those of no other")
  func renamed() async {
    let alive = Alive()
    let store = TestStore(initialState: [Child.State(id: 1), Child.State(id: 2)]) {
      EmptyReducer<[Child.State], IdentifiedActionOf<Child>>()
        .forEach(\.self, action: \.self) { Child(alive: alive, kind: "row") }
    }
    store.exhaustivity = .off
    await store.send(.element(id: 1, action: .start(0)))
    await store.send(.element(id: 2, action: .start(0)))
    await store.send(.element(id: 1, action: .rename(3)))
    #expect(alive.all == [Alive.Effect(owner: "row 2", key: 0)])
    await store.send(.element(id: 3, action: .start(1)))
    await store.send(.element(id: 3, action: .cancel(1)))
    #expect(alive.all == [Alive.Effect(owner: "row 2", key: 0)])
    await store.cancelInFlightEffects()
  }
}
