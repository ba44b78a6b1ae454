// Which spans a reducer's actions and a hub's requests make, what is inside of them, and what effects know.

import HubClient
import HubReducers
import HubReducersTesting
import HubTracing
import InMemoryTracing
import Instrumentation
import IntegrationSupport
import Testing
import Tracing

@Reducer
private struct Row {
  struct State: Equatable, Identifiable { let id: Int }
  enum Action: Equatable, Sendable { case tapped(times: Int) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
private struct Feature {
  struct State: Equatable {
    var rows: IdentifiedArrayOf<Row.State> = [Row.State(id: 7)]
    var number = 0
  }

  enum Action: Equatable, Sendable {
    case load
    case loaded(Int)
    case rows(IdentifiedActionOf<Row>)
  }

  @Dependency(\.instrumentationContext) var context
  @Dependency(\.hub) var hub

  var body: some ReducerOf<Self> {
    CombineReducers {
      Reduce { state, action in
        switch action {
        case .load:
          return .run { send in
            let number = try await withSpan("fetch", context: context) { _ in
              try await hub.value("number", of: Int.self).get()
            }
            await send(.loaded(number))
          }
        case .loaded(let number):
          withSpan("store") { _ in state.number = number }
          return .none
        case .rows: return .none
        }
      }
      .forEach(\.rows, action: \.rows) { Row() }
    }
    .traced()
  }
}

@Suite("Tracing a reducer")
struct TracingTests {
  private let tracer = InMemoryTracer()
  private let hub = Hub.inMemory()

  private func spans(_ operation: (TestStoreOf<Feature>) async throws -> Void) async rethrows
    -> [String: FinishedInMemorySpan]
  {
    try await withTracer(tracer) {
      try await operation(
        TestStore(initialState: Feature.State()) {
          Feature()
        } withDependencies: {
          $0.hub = hub
        })
    }
    return Dictionary(uniqueKeysWithValues: tracer.finishedSpans.map { ($0.operationName, $0) })
  }

  @Test("an action's span is a part of the sender's, and has what the reducer and its effects do")
  func family() async throws {
    try await hub.value("number").set(5)
    let spans = await spans { store in
      await withSpan("request") { _ in
        await store.send(.load)
        await store.receive(.loaded(5)) { $0.number = 5 }
      }
    }
    func parent(_ name: String) throws -> String? {
      let parent = try #require(spans[name]).parentSpanID
      return spans.first { $0.value.spanID == parent }?.key
    }
    #expect(Set(spans.keys) == ["request", "load", "fetch", "loaded", "store"])
    #expect(try parent("load") == "request")
    #expect(try parent("fetch") == "load")
    #expect(try parent("store") == "loaded")
    #expect(Set(spans.values.map(\.traceID)).count == 1)
  }

  @Test("a span is named by the action's cases, and tells neither ids nor payloads")
  func names() async {
    let spans = await spans { store in
      await store.send(\.rows[id: 7].tapped, 3)
    }
    #expect(spans.keys.sorted() == ["rows.element.tapped"])
  }
}

@Suite("Tracing a hub", .enabled(if: HubProgram.path != nil))
struct RequestSpanTests {
  @Test("each request is a span in the task's span, with its store and its error, and without its value")
  func requests() async throws {
    let tracer = InMemoryTracer()
    let program = try await HubProgram()
    let hub = Hub(.explicit(program.socket), observer: .spans)
    let volume = hub.value("volume", of: Int.self)
    await withTracer(tracer) {
      await withSpan("work") { _ in
        _ = try? await volume.set(5)
        _ = try? await hub.value("missing", of: Int.self).read()
        _ = try? await hub.ping()
      }
    }
    let spans = tracer.finishedSpans
    let work = try #require(spans.last { $0.operationName == "work" })
    let requests = spans.filter { $0.operationName != "work" }
    #expect(requests.map(\.operationName) == ["statehub set", "statehub get", "statehub ping"])
    #expect(requests.allSatisfy { $0.parentSpanID == work.spanID })
    #expect(requests.map { $0.attributes.count } == [1, 1, 0])
    #expect(requests[0].attributes.get("statehub.store") == "volume")
    #expect(requests.map(\.errors.count) == [0, 1, 0])
  }
}
