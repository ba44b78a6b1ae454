// Owns enums that are hard to read, used through their case paths; a wrong expansion does not compile.
// Its layout is part of the test.
// swift-format-ignore-file

public import HubReducers

public struct Box<Value: Sendable>: Sendable { var value: Value }

@CasePathable
enum Plain {
  case bar
  case baz(Int)
  case fizz(buzz: String)
  case fizzier(Int, buzzier: String)
  case wild(_ int: Int, _ bool: Bool), listed
}

public enum Outer<Element> {
  /* the attribute { has */
  @CasePathable  // comments } around it
  public indirect enum Tree: Sendable where Element: Sendable {
    case leaf(Element)
    case node(left: Tree, right: Self)
    case boxes([String: Box<Element>], Box<Self>?)
  }
}

@CasePathable
private enum Hidden: String, CaseIterable, Hashable {
  case one = "a { b", two = "// not a comment", three = ##""#{("##
  static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }
  static func / (lhs: Self, rhs: Self) -> Bool { "/ \(["}": lhs] as [String: Self])" != "{" }
  func hash(into hasher: inout Hasher) { /* case four */ hasher.combine("case five { \(self)") }
}

@CasePathable
enum Hard {
  typealias Handler = @Sendable (Int) -> Void
  case closure((Int) -> Void)
  case sendable(@Sendable (_ id: Int, inout String) async throws -> [Int?])
  case handler(Handler)
  case existential(any Sendable & Hashable)
  case optional(Int?)
  case metatype(Int.Type)
  case tuple((Int, y: String))
  case void(Void)
  case never(Never)
  case functionResult(() -> () -> Int)
  case `default`(`in`: Int, for: [Int])
  case `self`
  case defaults(
    int: Int = Dictionary<String, Int>().count < 3 ? 1 : 2,  // { a comment, with (brackets
    closure: (Int, Int) -> Bool = { $0 < $1 },
    text: String = "\(["a": 1], default: "}")) ,", list: [Int] = [1, 2]
  )
  case nested(Nested), inner(Hard.Nested.Deep)
  case `is`, Type(Int)
  @available(*, deprecated, message: "use } baz")
  case old(Int)
  #if DEBUG || /* else */ !DEBUG
    case conditional(Int)
    #if NOT_DEFINED
      case absent(Missing)
    #elseif compiler(>=6.0) && (os(Linux) || os(macOS))
      case present
    #else
      case other(Missing)
    #endif
  #endif
  case ünï(Int)
  case trailing(Int, String,)

  enum Nested { case a, b; enum Deep { case c } }
  var computed: Int { if case .tuple((let x, y: _)) = self { return x } else { return 0 } }
  static var regex: Bool { "a{".contains(/[{"(]/) }
  subscript(index: Int) -> Int { index / 2 / 1 }
}

public protocol Extended {}
public struct Extendee: Extended {}
public extension Extendee {
  @CasePathable
  enum Action { case tap, child(Child) }
  @CasePathable
  enum Child { case done(Result<Int, any Error>) }
}

@available(*, deprecated)
@CasePathable
enum Deprecated { case a }

extension Outer where Element == Int {
  @CasePathable
  enum Constrained { case one(Element) }
}

@CasePathable
enum Single { case only(Int) }

@CasePathable
enum Empty {}

@CasePathable
enum WithExisting: Equatable, HubReducers.CasePathable { case a(Int) }

/// A conformance written by hand works like a generated one.
enum Handwritten: CasePathable {
  case a(Int)
  struct AllCasePaths {
    var a: AnyCasePath<Handwritten, Int> {
      AnyCasePath(embed: { .a($0) }, extract: { if case .a(let value) = $0 { value } else { nil } })
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

func checkCasePaths() {
  check(Plain.bar.is(\.bar), !Plain.bar.is(\.baz), Plain.baz(1)[case: \.baz] == 1)
  check(Plain.fizz(buzz: "b")[case: \.fizz] == "b")
  check(Plain.fizzier(2, buzzier: "x")[case: \.fizzier]?.buzzier == "x")
  check(Plain.make(\.fizzier, (3, buzzier: "y"))?[case: \.fizzier]?.0 == 3)
  check(Plain.make(\.wild, (3, true))?[case: \.wild]?.1 == true, Plain.listed.is(\.listed))
  let tree = Outer<Int>.Tree.node(left: .leaf(1), right: .leaf(2))
  check(tree[case: \.node]?.right[case: \.leaf] == 2, tree[case: \.leaf] == nil)
  check(Hidden.one.is(\.one), Hidden.make(\.three, ())?.rawValue == "\"#{(")
  check(Hard.optional(nil)[case: \.optional] == .some(.none), Hard.tuple((1, y: "z"))[case: \.tuple]?.y == "z")
  check(Hard.default(in: 4, for: [5])[case: \.default]?.for == [5], Hard.`self`.is(\.`self`))
  check(Hard.defaults()[case: \.defaults]?.list == [1, 2], Hard.conditional(7)[case: \.conditional] == 7)
  check(Hard.present.is(\.present), Hard.ünï(9)[case: \.ünï] == 9, Hard.trailing(1, "t")[case: \.trailing]?.1 == "t")
  check(Hard.make(\.closure, { _ in }) != nil, Hard.is.is(\.is))
  check(Extendee.Action.child(.done(.success(3)))[case: \.child.done].map { (try? $0.get()) == 3 } == true)
  check(Extendee.Action.make(\.child.done, .success(4))?.is(\.child) == true)
  check(Outer<Int>.Constrained.one(8)[case: \.one] == 8, Single.only(1)[case: \.only] == 1)
  check(WithExisting.a(1)[case: \.a] == 1, Handwritten.a(5)[case: \.a] == 5)
}
