// Owns further enums that are hard to read: newer syntax of types, and words in unusual places.
// Its layout is part of the test.
// swift-format-ignore-file

import HubReducers

enum Failing: Error { case failed }
protocol Shape: Sendable {}
struct Fixed<let count: Int>: Sendable {}

@CasePathable
enum Newer {
  case inline(values: [3 of Int])
  case fixed(below: Fixed<-1>, Fixed<4>)
  case typed(@Sendable (Int) throws(Failing) -> Void)
  case nonsending(_ work: nonisolated(nonsending) () async -> Void)
  case isolated(@isolated(any) @Sendable () async -> Void, sent: (sending [Int]) -> sending [Int])
  case actor(@Sendable (isolated (any Actor)?) -> Void)
  case owned((_ a: borrowing Int, _ b: consuming String, inout [Int]) -> ())
  case pointer(@convention(c) (Int32) -> Int32)
  case metatypes(any Shape.Type, (any Shape).Type?, (any Shape.Type).Type)
  case suppressed(any ~Copyable.Type)
  case member(Swift.Array<Swift.Int>.Element, [Int].Index, Array<Int>.SubSequence.Element)
  case deep([[String: [(Int, [Int?])?]]]??)
  case compound((a: Int, (b: Int, c: () -> (d: Int, e: Int))))
}

@CasePathable nonisolated package
enum Spread: /* a { comment /* in a } comment */ */ Sendable
{ case one; case two(Int); case three // case four(Int), five {
  , four (
    /* before */ label /* between */ : /* after */ Int /* end */
    = 0b1010 - 0x1F.count, // case six
    _ text : String = """
      case seven("\( "case eight {" )")
      } "quoted\""" {
      """ + #"""
      \("not interpolated {")
      """#
  )
  case six; indirect case seven(Spread); indirect case eight(Spread?)
  #if canImport(Nothing, _version: 1.2) || hasFeature(Nothing)
  case never(Nothing)
  #endif
  func `case`(_ case: Int) -> Int { switch `case` { case 0: 1; case 1..<5: 2; default: 3 } }
}
extension Int { var count: Int { self } }

@CasePathable
enum Raw: Int { case minus = -1, hex = 0x1F, under = 1_000, plain
  init(_ text: String) { self = text.isEmpty ? .minus : .plain }
}

@CasePathable
enum Contextual {
  case get, set, willSet, async, await, some, any, each, actor, macro, package(Int), open, prefix(Int), left, none, `Protocol`
  case indirect, optional(indirect: Bool), convenience, `init`, `subscript`(`self`: Int), `Self`, `var`, `protocol`, `throws`
}

struct Outermost<Value: Sendable> where Value: Equatable {
  struct Middle<Other> {
    @CasePathable
    enum Inner<each_: Hashable> where each_: Sendable { case both(Value, Other), inner(each_), own(Inner<each_>.Alias); typealias Alias = Int }
  }
}

func checkHarderCasePaths() {
  let inline: [3 of Int] = [1, 2, 3]
  check(Newer.inline(values: inline)[case: \.inline]?[1] == 2, Newer.deep([[:]]).is(\.deep))
  check(Newer.compound((a: 1, (b: 2, c: { (d: 3, e: 4) })))[case: \.compound]?.1.c().e == 4)
  check(Newer.member(1, 2, 3)[case: \.member]?.2 == 3, Newer.pointer { $0 + 1 }[case: \.pointer]?(1) == 2)
  check(Spread.four()[case: \.four]?.label == -21, Spread.seven(.one)[case: \.seven]?.is(\.one) == true)
  check(Spread.four()[case: \.four]?.1.hasSuffix("{\")") == true)
  check(Raw.minus.is(\.minus), Raw.under.is(\.under), Contextual.package(3)[case: \.package] == 3)
  check(Contextual.`init`.is(\.`init`), Contextual.subscript(self: 2)[case: \.subscript] == 2, Contextual.`Self`.is(\.`Self`))
  check(Contextual.none.is(\.none), Contextual.indirect.is(\.indirect), Contextual.optional(indirect: true)[case: \.optional] == true)
  check(Outermost<Int>.Middle<Bool>.Inner<String>.both(1, true)[case: \.both]?.1 == true)
}
