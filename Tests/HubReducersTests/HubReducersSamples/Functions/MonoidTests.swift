// Tests the laws of combining pure reducers, and lifting them, with generated reducers and actions.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import Testing

/// A reducer that can be generated: an affine function of the state and the action.
private func affine(_ random: inout some RandomNumberGenerator) -> PureReducer<Int, Int> {
  let (a, b, c) = (
    Int.random(in: -3...3, using: &random), Int.random(in: -9...9, using: &random),
    Int.random(in: -9...9, using: &random)
  )
  return .reduce { action, state in state = a &* state &+ b &* action &+ c }
}

private func result(_ reducer: PureReducer<Int, Int>, _ actions: [Int], from state: Int) -> Int {
  actions.reduce(into: state) { reducer.reduce($1, &$0) }
}

private struct Row: Identifiable, Equatable {
  var id: String
  var key: Int
  var value = 0
}

private struct Whole: Equatable {
  var part = 1
  var rows = [Row(id: "a", key: 10), Row(id: "b", key: 20), Row(id: "c", key: 20)]
}

@CasePathable
private enum WholeAction {
  case number(Int)
  case byID(ElementIDAction<String, Int>)
  case byKey(ElementIDAction<Int, Int>)
  case byIndex(ElementIndexAction<Int, Int>)

  var number: Int? { self[case: \.number] }
  var byID: ElementIDAction<String, Int>? { self[case: \.byID] }
  var byKey: ElementIDAction<Int, Int>? { self[case: \.byKey] }
  var byIndex: ElementIndexAction<Int, Int>? { self[case: \.byIndex] }
}

private let addToRow = PureReducer<Int, Row>.reduce { action, row in row.value += action }
private let add = PureReducer<Int, Int>.reduce { action, state in state += action }

@Suite struct MonoidTests {
  private func generated(_ check: (inout SystemRandomNumberGenerator, [Int], Int) -> Void) {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let actions = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        Int.random(in: -99...99, using: &random)
      }
      check(&random, actions, Int.random(in: -99...99, using: &random))
    }
  }

  @Test("combining is associative")
  func associativity() {
    generated { random, actions, state in
      let (a, b, c) = (affine(&random), affine(&random), affine(&random))
      #expect(result((a <> b) <> c, actions, from: state) == result(a <> (b <> c), actions, from: state))
    }
  }

  @Test("identity vanishes on either side")
  func identity() {
    generated { random, actions, state in
      let a = affine(&random)
      #expect(result(a <> .identity, actions, from: state) == result(a, actions, from: state))
      #expect(result(.identity <> a, actions, from: state) == result(a, actions, from: state))
    }
  }

  @Test("combining many is combining them one by one; none is identity")
  func concat() {
    generated { random, actions, state in
      let all = (0..<5).map { _ in affine(&random) }
      let folded = all[0] <> all[1] <> all[2] <> all[3] <> all[4]
      #expect(result(.concat(all), actions, from: state) == result(folded, actions, from: state))
      #expect(result(.concat([]), actions, from: state) == state)
    }
  }

  @Test("the order matters: combining is not commutative")
  func order() {
    let double = PureReducer<Int, Int>.reduce { _, state in state *= 2 }
    #expect(result(double <> add, [3], from: 1) == 5)
    #expect(result(add <> double, [3], from: 1) == 8)
  }

  @Test("lifting distributes over combining, and keeps identity")
  func liftIsAHomomorphism() {
    generated { random, actions, state in
      let (a, b) = (affine(&random), affine(&random))
      func run(_ reducer: PureReducer<Int, Whole>) -> Whole {
        actions.reduce(into: Whole(part: state)) { reducer.reduce($1, &$0) }
      }
      #expect(run((a <> b).lift(state: \.part)) == run(a.lift(state: \.part) <> b.lift(state: \.part)))
      #expect(run(PureReducer<Int, Int>.identity.lift(state: \.part)) == Whole(part: state))
    }
  }

  @Test("every way of lifting works on its part and ignores other actions")
  func lift() {
    let lifted: [PureReducer<WholeAction, Whole>] = [
      add.lift(actionGetter: \.number, stateGetter: \.part, stateSetter: { $0.part = $1 }),
      add.lift(action: \WholeAction.number, state: \.part),
      add.lift(action: \Case<WholeAction>.number, state: \.part),
      add.lift(action: \WholeAction.number).lift(state: \.part),
      add.lift(action: \Case<WholeAction>.number).lift(state: \.part),
    ]
    for reducer in lifted {
      var whole = Whole()
      reducer.reduce(.number(4), &whole)
      reducer.reduce(.byIndex(ElementIndexAction(index: 0, action: 1)), &whole)
      #expect(whole == Whole(part: 5))
    }
  }

  @Test("lifted to a collection, one element gets the action: by id, by another key, by index")
  func liftToCollection() {
    let reducer: PureReducer<WholeAction, Whole> =
      addToRow.liftToCollection(action: \.byID, stateCollection: \.rows)
      <> addToRow.liftToCollection(action: \.byKey, stateCollection: \.rows, identifier: \.key)
      <> addToRow.liftToCollection(action: \.byIndex, stateCollection: \.rows)
    var whole = Whole()
    reducer.reduce(.byID(ElementIDAction(id: "b", action: 1)), &whole)
    reducer.reduce(.byKey(ElementIDAction(id: 20, action: 10)), &whole)
    reducer.reduce(.byIndex(ElementIndexAction(index: 2, action: 100)), &whole)
    #expect(whole.rows.map(\.value) == [0, 11, 100])
  }

  @Test("an element that is not there is ignored, or reported if asked")
  func missing() {
    let quiet: PureReducer<WholeAction, Whole> =
      addToRow.liftToCollection(action: \.byID, stateCollection: \.rows)
      <> addToRow.liftToCollection(action: \.byIndex, stateCollection: \.rows)
    let loud: PureReducer<WholeAction, Whole> = addToRow.liftToCollection(
      action: \.byIndex, stateCollection: \.rows, missing: .reported)
    var whole = Whole()
    #expect(issues { quiet.reduce(.byID(ElementIDAction(id: "z", action: 1)), &whole) } == [])
    #expect(issues { quiet.reduce(.byIndex(ElementIndexAction(index: 3, action: 1)), &whole) } == [])
    #expect(issues { loud.reduce(.byIndex(ElementIndexAction(index: -1, action: 1)), &whole) }.count == 1)
    #expect(whole == Whole())
  }

  @Test("lifted to each, every element gets the action")
  func liftToEach() {
    var whole = Whole()
    addToRow.liftToEach(stateCollection: \Whole.rows).reduce(2, &whole)
    #expect(whole.rows.map(\.value) == [2, 2, 2])
  }

  @Test("a pure reducer stands in a body like any other")
  func inABody() async {
    let store = TestStore(initialState: 1) {
      CombineReducers {
        add
        Reduce<Int, Int> { state, action in action == 1 ? .send(10) : .none }
      }
    }
    await store.send(1) { $0 = 2 }
    await store.receive(10) { $0 = 12 }
  }
}
