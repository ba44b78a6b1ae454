// Tests that case key paths name, build, find and change the cases of enums.

import HubReducers
import Testing

@CasePathable
private enum Action: Equatable {
  case task
  case number(Int)
  case point(x: Int, y: Int)
  case child(Child)
  indirect case again(Action)

  @CasePathable
  enum Child: Equatable {
    case tap
    case rename(String)
  }
}

/// A conformance written by hand works like a generated one.
private enum Manual: CasePathable, Equatable {
  case on(Int)
  case off

  struct AllCasePaths: Sendable {
    var on: AnyCasePath<Manual, Int> {
      AnyCasePath(
        embed: { .on($0) },
        extract: {
          guard case .on(let level) = $0 else { return nil }
          return level
        })
    }
    var off: AnyCasePath<Manual, Void> {
      AnyCasePath(embed: { .off }, extract: { $0 == .off ? () : nil })
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

@Suite struct CasePathTests {
  @Test("extract undoes embed, for every shape of case")
  func roundTrip() {
    #expect(AnyCasePath<Action, Int>(\.number).extract(from: .number(3)) == 3)
    #expect(AnyCasePath<Action, Int>(\.number).extract(from: .task) == nil)
    #expect(AnyCasePath<Action, Int>(\.number).embed(4) == .number(4))
    #expect(AnyCasePath<Action, Void>(\.task).extract(from: .task) != nil)
    let point = AnyCasePath<Action, (x: Int, y: Int)>(\.point)
    #expect(point.extract(from: .point(x: 1, y: 2))! == (x: 1, y: 2))
    #expect(AnyCasePath<Manual, Int>(\.on).embed(1) == .on(1))
    #expect(AnyCasePath<Manual, Void>(\.off).extract(from: .off) != nil)
  }

  @Test("a case path without its type gives any payload")
  func partial() {
    let number: PartialCaseKeyPath<Action> = \.number
    #expect(Action.number(3)[case: number] as? Int == 3)
    #expect(Action.task[case: number] == nil)
    #expect(Action.number(3).is(number) && !Action.task.is(number))
    #expect(
      Action.child(.rename("a"))[case: \Action.Cases.child.rename as PartialCaseKeyPath] as? String == "a")
  }

  @Test("a key path goes through several enums")
  func composition() {
    let rename = AnyCasePath<Action, String>(\.child.rename)
    #expect(rename.extract(from: .child(.rename("a"))) == "a")
    #expect(rename.extract(from: .child(.tap)) == nil)
    #expect(rename.extract(from: .task) == nil)
    #expect(rename.embed("b") == .child(.rename("b")))
  }

  @Test("a recursive enum's first step is not taken for the beginning")
  func recursion() {
    let again = AnyCasePath<Action, Action>(\.again)
    #expect(again.extract(from: .again(.task)) == .task)
    #expect(again.extract(from: .task) == nil)
    let twice = AnyCasePath<Action, Int>(\.again.again.number)
    #expect(twice.extract(from: .again(.again(.number(5)))) == 5)
    #expect(twice.extract(from: .again(.number(5))) == nil)
    #expect(twice.embed(5) == .again(.again(.number(5))))
  }

  @Test("the identity key path is the whole enum")
  func identity() {
    let path = AnyCasePath<Action, Action>(\.self)
    #expect(path.extract(from: .task) == .task)
    #expect(path.embed(.number(1)) == .number(1))
  }

  @Test("a value tells which case it is in")
  func membership() {
    #expect(Action.task.is(\.task))
    #expect(!Action.task.is(\.number))
    #expect(Action.child(.tap).is(\.child.tap))
    #expect(Action.number(7)[case: \.number] == 7)
    #expect(Action.task[case: \.number] == nil)
  }

  @Test("a payload is changed in place, and a wrong case is reported")
  func modify() {
    var action = Action.number(1)
    action.modify(\.number) { $0 += 1 }
    #expect(action == .number(2))
    let messages = issues { action.modify(\.child) { $0 = .tap } }
    #expect(action == .number(2))
    #expect(messages.count == 1)
  }

  @Test("a key path is a function and a pattern")
  func calls() {
    let number: CaseKeyPath<Action, Int> = \.number
    let task: CaseKeyPath<Action, Void> = \.task
    #expect(number(3) == Action.number(3))
    #expect(task() == Action.task)
    switch Action.number(1) {
    case number: break
    default: Issue.record("the pattern did not match")
    }
  }

  @Test("optionals and results have case paths")
  func standardTypes() {
    struct Failure: Error, Equatable {}
    #expect(AnyCasePath<Int?, Int>(\.some).extract(from: 4) == 4)
    #expect(AnyCasePath<Int?, Void>(\.none).extract(from: 4) == nil)
    let result = Result<Int, Failure>.success(1)
    #expect(AnyCasePath<Result<Int, Failure>, Int>(\.success).extract(from: result) == 1)
    #expect(AnyCasePath<Result<Int, Failure>, Failure>(\.failure).extract(from: result) == nil)
    #expect(AnyCasePath<Result<Int, Failure>, Failure>(\.failure).embed(Failure()) == .failure(Failure()))
  }

  @Test("one element's actions have a path of their own")
  func identifiedActions() {
    let tap = AnyCasePath<IdentifiedAction<Int, Action>, Int>(\.[id: 3].number)
    #expect(tap.extract(from: .element(id: 3, action: .number(1))) == 1)
    #expect(tap.extract(from: .element(id: 4, action: .number(1))) == nil)
    #expect(tap.embed(2) == .element(id: 3, action: .number(2)))
  }
}

@CasePathable
@dynamicMemberLookup
private enum Volume: Equatable {
  case silent
  case level(Int)
}

@Test("a case is read as a member, and named from its enum")
func membersOfCases() {
  #expect(Volume.level(3).level == 3)
  #expect(Volume.silent.level == nil && Volume.silent.silent != nil)
  let path = \Volume.Cases.level
  #expect(path(4) == .level(4) && Volume.level(5)[case: path] == 5)
}
