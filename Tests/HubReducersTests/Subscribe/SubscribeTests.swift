// Tests subscriptions that start from a trigger action.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Feature {
  struct State: Equatable {
    var number = 0
    var text = ""
    var room = 1
    var saves = 0
  }

  enum Action: Equatable, Sendable {
    case task
    case newNumberReceived(Int)
    case newStringReceived(String)
    case enter(Int)
    case saved
    case stop
    case link(SubscriptionEvent)
    case nested(Nested)

    @CasePathable
    enum Nested: Equatable, Sendable {
      case trigger
    }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .newNumberReceived(let number): state.number = number
      case .newStringReceived(let text): state.text = text
      case .enter(let room): state.room = room
      case .saved: state.saves += 1
      case .task, .stop, .link, .nested: break
      }
      return .none
    }
  }
}

private typealias Events = SubscriptionEvent

@Suite struct SubscribeTests {
  private let source = Source()

  private func store(_ reducer: () -> some ReducerOf<Feature>) -> TestStoreOf<Feature> {
    TestStore(initialState: Feature.State(), reducer: reducer)
  }

  @Test("elements become actions from the trigger on, in order")
  func with() async {
    let store = store { Feature().subscribe(to: source.stream, on: \.task, with: \.newNumberReceived) }
    source.send(1)
    let task = await store.send(.task)
    source.send(2)
    source.send(3)
    await store.receive(\.newNumberReceived, 2) { $0.number = 2 }
    await store.receive(\.newNumberReceived, 3) { $0.number = 3 }
    source.finish()
    await task.finish()
  }

  @Test("elements are transformed on the way")
  func transform() async {
    let store = store {
      Feature().subscribe(to: source.stream, on: \.nested.trigger, with: \.newStringReceived) { "\($0)" }
    }
    await store.send(\.nested.trigger)
    source.send(7)
    await store.receive(\.newStringReceived, "7") { $0.text = "7" }
    source.finish()
    await store.finish()
  }

  @Test("an operation may send anything for each element")
  func operation() async {
    let store = store {
      Feature().subscribe(to: source.stream, on: \.task) { send, number in
        await send(.newNumberReceived(number))
        await send(.newStringReceived("\(number)"))
      }
    }
    await store.send(.task)
    source.send(4)
    await store.receive(\.newNumberReceived, 4) { $0.number = 4 }
    await store.receive(\.newStringReceived, "4") { $0.text = "4" }
    source.finish()
    await store.finish()
  }

  @Test("several subscriptions in a row all run")
  func chained() async {
    let other = Source()
    let store = store {
      Feature()
        .subscribe(to: source.stream, on: \.task, with: \.newNumberReceived)
        .subscribe(to: other.stream, on: \.task, with: \.newStringReceived) { "\($0)" }
        .subscribe(to: other.stream, on: \.nested.trigger, with: \.newNumberReceived)
    }
    let task = await store.send(.task)
    source.send(1)
    other.send(2)
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    await store.receive(\.newStringReceived, "2") { $0.text = "2" }
    await task.cancel()
    #expect(source.readers == 0 && other.readers == 0)
  }

  @Test("a second trigger restarts by default: each element arrives once")
  func restart() async {
    let store = store { Feature().subscribe(to: source.stream, on: \.task, with: \.newNumberReceived) }
    await store.send(.task)
    let second = await store.send(.task)
    #expect(source.made == 2 && source.readers == 1)
    source.send(1)
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    await second.cancel()
    await store.finish()
  }

  @Test("a second trigger can be ignored, or add another subscription")
  func retrigger() async {
    let ignoring = store {
      Feature().subscribe(
        to: source.stream, on: \.task, with: \.newNumberReceived
      ).onRetrigger(.ignore)
    }
    await ignoring.send(.task)
    await ignoring.send(.task)
    #expect(source.made == 1 && source.readers == 1)
    await ignoring.cancelInFlightEffects()
    await ignoring.send(.task)
    #expect(source.made == 2 && source.readers == 1)
    await ignoring.cancelInFlightEffects()

    let adding = store {
      Feature().subscribe(
        to: source.stream, on: \.task, with: \.newNumberReceived
      ).onRetrigger(.addAnother)
    }
    await adding.send(.task)
    await adding.send(.task)
    source.send(1)
    await adding.receive(\.newNumberReceived, 1) { $0.number = 1 }
    await adding.receive(\.newNumberReceived, 1)
    await adding.cancelInFlightEffects()
  }

  @Test("a stop action ends it, and a later trigger starts it again")
  func until() async {
    let store = store {
      Feature().subscribe(
        to: source.stream, on: \.task, with: \.newNumberReceived
      ).until(\.stop)
    }
    await store.send(.task)
    await store.send(.stop)
    #expect(source.readers == 0)
    await store.finish()
    await store.send(.task)
    #expect(source.readers == 1)
    await store.send(.stop)
  }

  @Test("trigger and stop in the same batch: no element ever arrives")
  func stoppedAtOnce() async {
    let store = store {
      CombineReducers {
        Reduce<Feature.State, Feature.Action> { _, action in
          action == .enter(0) ? .merge(.send(.task), .send(.stop)) : .none
        }
        Feature()
      }
      .subscribe(to: source.stream, on: \.task, with: \.newNumberReceived).until(\.stop)
    }
    await store.send(.enter(0)) { $0.room = 0 }
    #expect(source.made == 0)
    await store.receive(.task)
    await store.receive(.stop)
    await store.finish()
  }

  @Test("an argument comes from the state after the trigger was handled")
  func using() async {
    let streams = [Source(), Source(), Source()]
    let store = store {
      Feature()
        .subscribe(
          to: { room in streams[room].stream() }, using: \.room, on: \.enter, with: \.newNumberReceived)
    }
    await store.send(.enter(2)) { $0.room = 2 }
    #expect(streams.map(\.readers) == [0, 0, 1])
    await store.send(.enter(0)) { $0.room = 0 }
    #expect(streams.map(\.readers) == [1, 0, 0])
    streams[0].send(5)
    await store.receive(\.newNumberReceived, 5) { $0.number = 5 }
    await store.cancelInFlightEffects()
  }

  @Test("any asynchronous sequence will do")
  func sequences() async {
    let store = store {
      Feature()
        .subscribe(
          to: {
            AsyncStream<Int> {
              $0.yield(1); $0.finish()
            }
          }, on: \.task, with: \.newNumberReceived
        )
        .subscribe(
          to: { [source] in source.stream().map { $0 * 2 } }, on: \.task, with: \.newStringReceived
        ) { "\($0)" }
    }
    await store.send(.task)
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    source.send(4)
    await store.receive(\.newStringReceived, "8") { $0.text = "8" }
    source.finish()
    await store.finish()
  }

  @Test("a subscription tells about its life, and an error goes there instead of being an issue")
  func lifecycle() async {
    struct Lost: Error {}
    let store = store {
      Feature().subscribe(
        to: {
          AsyncThrowingStream<Int, any Error> {
            $0.yield(1); $0.finish(throwing: Lost())
          }
        }, on: \.task,
        with: \.newNumberReceived
      ).lifecycle(\.link)
    }
    await store.send(.task)
    await store.receive(\.link.connected)
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    await store.receive(\.link.failed)

    let ending = self.store {
      Feature().subscribe(
        to: source.stream, on: \.task, with: \.newNumberReceived
      ).lifecycle(\.link)
    }
    await ending.send(.task)
    source.finish()
    await ending.receive(\.link.connected)
    await ending.receive(\.link.ended)
    await ending.send(.task)
    await ending.receive(\.link.connected)
    await ending.cancelInFlightEffects()
  }

  @Test("without a lifecycle action an error is reported")
  func reportedError() async {
    struct Lost: Error {}
    let store = store {
      Feature().subscribe(
        to: { () async throws -> AsyncStream<Int> in throw Lost() }, on: \.task, with: \.newNumberReceived)
    }
    let messages = await issues { await store.send(.task) }
    #expect(messages.count == 1)
    #expect((messages.first ?? "").contains("Lost"))
  }

  @Test(
    "cancelling the trigger's task ends the stream but not what its responses started",
    arguments: [
      SentEffects.detached, .attached,
    ])
  func responses(_ effects: SentEffects) async {
    let (hold, release) = AsyncStream<Void>.makeStream()
    let store = store {
      CombineReducers {
        Feature()
        Reduce<Feature.State, Feature.Action> { _, action in
          guard case .newNumberReceived = action else { return .none }
          return .run { send in
            for await _ in hold {}
            await send(.saved)
          }
        }
      }
      .subscribe(to: source.stream, on: \.task, with: \.newNumberReceived).responses(effects)
    }
    let task = await store.send(.task)
    source.send(1)
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    await task.cancel()
    #expect(source.readers == 0)
    release.finish()
    if effects == .detached { await store.receive(.saved) { $0.saves = 1 } }
    await store.finish()
  }
}
