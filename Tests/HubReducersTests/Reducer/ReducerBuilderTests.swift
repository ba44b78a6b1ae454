// Tests what a body's statements turn into: order, conditions, loops, availability.

import HubReducers
import HubReducersTesting
import Testing

/// Appends its name.
private struct Note: Reducer {
  var name: String
  var effect: Effect<Int> = .none

  func reduce(into state: inout [String], action: Int) -> Effect<Int> {
    state.append(name)
    return effect
  }
}

private struct Body: Reducer {
  typealias State = [String]
  typealias Action = Int

  var condition = false
  var choice = 0
  var count = 0

  var body: some ReducerOf<Self> {
    Note(name: "first")
    if condition { Note(name: "if") }
    if choice == 0 {
      Note(name: "zero")
    } else if choice == 1 {
      Note(name: "one")
    } else {
      Note(name: "many")
    }
    switch choice {
    case 0: Note(name: "case 0")
    default:
      Note(name: "default")
      Note(name: "default again")
    }
    for index in 0..<count { Note(name: "loop \(index)") }
    if #available(macOS 99, *) { Note(name: "available") }
    anything
    Note(name: "last")
  }

  private var anything: any Reducer<[String], Int> { Note(name: "any") }
}

@Suite struct ReducerBuilderTests {
  private func run(_ reducer: some Reducer<[String], Int>) -> [String] {
    var state: [String] = []
    _ = reducer.reduce(into: &state, action: 0)
    return state
  }

  @Test("the statements of a body run in order, as the conditions say")
  func body() {
    #expect(run(Body()) == ["first", "zero", "case 0", "available", "any", "last"])
    #expect(
      run(Body(condition: true, choice: 1, count: 2)) == [
        "first", "if", "one", "default", "default again", "loop 0", "loop 1", "available", "any", "last",
      ])
    #expect(run(Body(choice: 5))[1] == "many")
  }

  @Test("a reducer of a known type keeps it in a body, and only one of a hidden type is erased")
  func types() {
    func kind<R: Reducer<[String], Int>>(
      @ReducerBuilder<[String], Int> of build: () -> R
    ) -> ObjectIdentifier {
      ObjectIdentifier(R.self)
    }
    let hidden: any Reducer<[String], Int> = Note(name: "any")
    let one = kind { Note(name: "one") }
    #expect(one == ObjectIdentifier(Note.self))
    let three = kind {
      Note(name: "one")
      EmptyReducer()
      hidden
    }
    typealias Three = _Sequence<_Sequence<Note, EmptyReducer<[String], Int>>, AnyReducer<[String], Int>>
    #expect(three == ObjectIdentifier(Three.self))
  }

  @Test("a later reducer sees what an earlier one did, and all effects are kept")
  func effects() async {
    let store = TestStore(initialState: [String]()) {
      CombineReducers {
        Reduce<[String], Int> { state, action in
          state.append("a\(action)")
          return action == 0 ? .send(1) : .none
        }
        Reduce<[String], Int> { state, action in
          state.append("b after \(state.last!)")
          return action == 0 ? .send(2) : .none
        }
      }
    }
    await store.send(0) { $0 = ["a0", "b after a0"] }
    await store.receive(1) { $0 += ["a1", "b after a1"] }
    await store.receive(2) { $0 += ["a2", "b after a2"] }
  }

  @Test("the empty reducer and an empty body change nothing")
  func empty() {
    #expect(run(EmptyReducer()) == [])
    #expect(run(CombineReducers {}) == [])
    #expect(run(Note?.none) == [])
    #expect(run(Note?.some(Note(name: "x"))) == ["x"])
  }

  @Test("identity vanishes and grouping does not matter, for any list of reducers")
  func laws() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      let names = (0..<3).map { _ in "\(UInt8.random(in: 0...255, using: &generator))" }
      let (a, b, c) = (Note(name: names[0]), Note(name: names[1]), Note(name: names[2]))
      let left = run(
        CombineReducers {
          CombineReducers {
            a; b
          }; c
        })
      let right = run(
        CombineReducers {
          a;
          CombineReducers {
            b; c
          }
        })
      #expect(left == right)
      #expect(
        run(
          CombineReducers {
            EmptyReducer(); a
          }) == run(a))
      #expect(
        run(
          CombineReducers {
            a; EmptyReducer()
          }) == run(a))
    }
  }
}
