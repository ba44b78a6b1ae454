// Tests one-time requests and reactions to errors.

import HubReducers
import HubReducersTesting
import Testing

private struct Refused: Error, Equatable {}

@Reducer
private struct Feature {
  struct State {
    var number = 0
    var error: (any Error)?
    var failures = 0
  }

  enum Action {
    case task
    case loaded(Result<Int, any Error>)
    case failed(any Error)
  }

  var load: @Sendable () async throws -> Int
  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .loaded(.success(let number)) = action { state.number = number }
      return .none
    }
    .receive(on: \.task, with: \.loaded) { [load] in try await load() }
    .onFailure(case: \.loaded, .set(\.error))
    .onFailure(case: \.loaded, .log(prefix: "load: ") { [log] in log.append($0) })
    .onFailure(
      case: \.failed,
      OnFailureAction { state, _ in
        state.failures += 1
        return .none
      })
  }
}

extension Feature.State: Equatable {
  fileprivate static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.number == rhs.number && lhs.failures == rhs.failures && (lhs.error == nil) == (rhs.error == nil)
  }
}

private enum Results: ReceiveAction {
  case task
  case receive(Result<Loaded, any Error>)

  @CasePathable
  enum Loaded {
    case number(Int)
    case name(String)
  }
}

extension Results: CasePathable {
  struct AllCasePaths: Sendable {
    var task: AnyCasePath<Results, Void> {
      AnyCasePath(embed: { .task }, extract: { if case .task = $0 { () } else { nil } })
    }
    var receive: AnyCasePath<Results, Result<Loaded, any Error>> {
      AnyCasePath(
        embed: { .receive($0) }, extract: { if case .receive(let result) = $0 { result } else { nil } })
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

@Suite struct ReceiveTests {
  @Test("a trigger runs the operation once and sends its result")
  func success() async {
    let store = TestStore(initialState: Feature.State()) { Feature(load: { 5 }) }
    await store.send(\.task)
    await store.receive(\.loaded.success, 5) { $0.number = 5 }
    await store.finish()
  }

  @Test("an error arrives as a result, and reactions set, log and count it")
  func failure() async {
    let feature = Feature(load: { throw Refused() })
    let store = TestStore(initialState: Feature.State()) { feature }
    await store.send(\.task)
    await store.receive(\.loaded.failure) { $0.error = Refused() }
    await store.send(.failed(Refused())) { $0.failures = 1 }
    #expect(feature.log.entries == ["load: Refused()"])
  }

  @Test("a second trigger replaces the running operation")
  func restart() async {
    let (answers, input) = AsyncStream<Int>.makeStream()
    let started = Log<Int>()
    let store = TestStore(initialState: Feature.State()) {
      Feature(load: {
        started.append(1)
        if started.entries.count == 1 {
          await never()
          throw Refused()
        }
        for await answer in answers { return answer }
        throw Refused()
      })
    }
    await store.send(\.task)
    await store.send(\.task)
    input.yield(8)
    await store.receive(\.loaded.success, 8) { $0.number = 8 }
    await store.finish()
  }

  @Test("results can share one case")
  func receiveAction() async {
    let store = TestStore(initialState: 0) {
      ReceiveReducer<Int, Results>(\.receive) { state, loaded in
        switch loaded {
        case .number(let number): state = number
        case .name(let name): state = name.count
        }
        return .none
      }
      .receive(on: \.task, case: \.number) { 7 }
      .receive(on: \.task, case: \.name) { throw Refused() }
    }
    await store.send(\.task)
    await store.receive(\.receive.success.number, 7) { $0 = 7 }
    await store.receive(\.receive.failure)
  }

  @Test("fail reports the error where the reducer was made")
  func fail() async {
    let store = TestStore(initialState: 0) {
      EmptyReducer<Int, Results>().onFailure(case: \.receive, .fail(prefix: "no: "))
    }
    let messages = await issues { await store.send(.receive(.failure(Refused()))) }
    #expect(messages == ["no: Refused()"])
  }
}
