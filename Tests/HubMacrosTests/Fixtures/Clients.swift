// Owns dependency clients that get their initialiser from @DependencyClient.

public import HubReducers

@DependencyClient
struct NumberStore: Sendable {
  var value: @Sendable () async -> AsyncStream<Int>
  var updateValue: @Sendable (Int) async -> Void
}

internal func internalDefault() -> Int { 4 }

@DependencyClient
public struct Everything<Element: Sendable>: Sendable {
  // a comment with a brace {
  public var fetch: @Sendable (_ id: Int, _ in: String) async throws -> Element
  public var optional: @Sendable () -> Element?
  public var number: @Sendable () -> Int = { internalDefault() }, other: @Sendable () -> Void
  public var edit: @Sendable (inout Int, _ by: Int) -> Bool = {
    $0 += $1; return true
  }
  public var onMain: (@MainActor @Sendable (_ title: String) async -> Void)
  public var stream: @Sendable () -> AsyncThrowingStream<Element, any Error>
  public var `in`: @Sendable () throws -> Int
  public var lazily: @Sendable (@autoclosure @Sendable () -> Int) -> Int = { $0() }
  public var implemented: @Sendable (Int, Int) -> Int = max
  public let id: Int
  public let constant = 5
  public var name = "x // {", ratio = 1.5, flag = true, count = 3
  public var limit: Int? = 10
  public var note: String?
  public var list: [String: [Int]] = Dictionary<String, [Int]>()
  public let callback: @Sendable () -> Void
  private var hidden = 0
  public var doubled: Int { count * 2 }
  public static var shared: Int { 1 }
  public var observed: Int = 1 { didSet { print("{") } }
}

struct Failure: Error {}

enum Scope {
  @DependencyClient
  struct Plain {
    var a: () -> Void, b: (Int...) -> Void
    var typed: () throws(Failure) -> Int = { () throws(Failure) in throw Failure() }
    func method() { let text = "}"; _ = text }
    init(_ unused: Int) { self.init() }
  }
}

extension Extendee {
  @DependencyClient
  fileprivate struct Private { var go: @Sendable (_ to: Int) throws -> Void }
}

func checkClients() async {
  let store = NumberStore(updateValue: { _ in })
  for await _ in await store.value() { check(false) }
  await store.updateValue(3)
  check(issues.count == 1, issues.first?.contains("'NumberStore.value'") == true)

  var client = Everything<String>(id: 1, callback: {})
  check(client.number() == 4, client.optional() == nil, client.name == "x // {", client.limit == 10)
  var number = 1
  check(client.edit(&number, by: 2), number == 3, client.lazily(6) == 6, client.implemented(1, 2) == 2)
  client.edit = { number, by in
    number = by
    return false
  }
  check(!client.edit(&number, 9), number == 9)
  do {
    _ = try await client.fetch(id: 1, in: "a")
    check(false)
  } catch {
    check((error as? Unimplemented)?.endpoint == "Everything.fetch")
  }
  check((try? client.in()) == nil)
  await client.onMain(title: "t")
  do { for try await _ in client.stream() { check(false) } } catch { check(error is Unimplemented) }
  check(issues.contains { $0.contains("'Everything.number'") })
  check(issues.contains { $0.contains("'Everything.in'") })
  check(!issues.contains { $0.contains("implemented'") })

  let plain = Scope.Plain(a: {})
  plain.a()
  plain.b(1, 2)
  check(issues.last?.contains("'Plain.b'") == true, (try? plain.typed()) == nil)
  check((try? Extendee.Private().go(to: 3)) == nil)
}
