// Tests parts of shared values, values that are only read, and keys with a default.

import HubReducers
import HubReducersTesting
import Observation
import Testing

private struct Settings: Equatable, Sendable {
  var name = "a"
  var size = 1
  var isLarge: Bool { size > 10 }
}

extension SharedKey where Self == InMemoryKey<Settings>.Default {
  fileprivate static var settings: Self { Self[.inMemory("settings"), default: Settings(name: "default")] }
}

private struct Row: Equatable, Identifiable, Sendable {
  let id: Int
  var name = ""
}

@Reducer
private struct Rename {
  struct State: Equatable {
    @Shared var name: String
    init(name: Shared<String>) { _name = name }
  }

  enum Action: Equatable, Sendable { case rename(String) }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      guard case .rename(let name) = action else { return .none }
      state.$name.withLock { $0 = name }
      return .none
    }
  }
}

@Suite("A part of a shared value", .dependencies())
struct SharedMemberTests {
  @Test("is read from the whole, and changing it changes the whole and nothing else")
  func member() {
    @Shared(.inMemory("whole")) var settings = Settings()
    let name = $settings.name
    name.withLock { $0 += "b" }
    #expect(settings == Settings(name: "ab"))
    $settings.withLock { $0.size = 20 }
    #expect(name.wrappedValue == "ab" && $settings.isLarge.wrappedValue)
    #expect(name == $settings.name && name != Shared(value: "x"))
  }

  @Test("reports its own changes")
  func values() async {
    @Shared(.inMemory("whole")) var settings = Settings()
    var sizes = $settings.size.values.makeAsyncIterator()
    #expect(await sizes.next() == 1)
    $settings.name.withLock { $0 = "z" }
    $settings.size.withLock { $0 = 2 }
    #expect(await sizes.next() == 2)
    let log = Log<Bool>()
    let size = $settings.size
    withObservationTracking {
      _ = size.wrappedValue
    } onChange: {
      log.append(true)
    }
    size.withLock { $0 = 3 }
    #expect(log.entries == [true])
  }

  @Test("is asserted by a test store like the whole")
  func testStore() async {
    @Shared(.inMemory("whole")) var settings = Settings()
    let store = TestStore(initialState: Rename.State(name: $settings.name)) { Rename() }
    await store.send(.rename("b")) { $0.$name.withLock { $0 = "b" } }
    #expect(settings.name == "b")
    #expect(await testFailures { await store.send(.rename("c")) }.count == 1)
  }

  @Test("of an optional value is there while it holds something, and never fills it again")
  func optional() throws {
    @Shared(.inMemory("optional")) var number: Int? = nil
    #expect(Shared($number) == nil)
    number = 5
    let present = try #require(Shared($number))
    present.withLock { $0 += 1 }
    #expect(number == 6)
    number = nil
    present.withLock { $0 += 1 }
    #expect(number == nil && present.wrappedValue == 5)
  }

  @Test("elements of a collection are shared, by index or by id, until they are gone")
  func elements() {
    @Shared(.inMemory("list")) var list = [1, 2]
    let numbers = $list.elements()
    for number in numbers { number.withLock { $0 *= 10 } }
    #expect(list == [10, 20])
    list = [7]
    numbers[1].withLock { $0 = 5 }
    #expect(list == [7] && numbers[0].wrappedValue == 7 && numbers[1].wrappedValue == 2)

    @Shared(.inMemory("rows")) var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2)]
    let second = $rows.elements()[1]
    rows.insert(Row(id: 3), at: 0)
    second.withLock { $0.name = "b" }
    #expect(rows.map(\.name) == ["", "", "b"])
    rows.remove(id: 2)
    second.withLock { $0.name = "c" }
    #expect(rows.map(\.name) == ["", ""])
  }

  @Test("a reference can be replaced by that of another key")
  func replaced() {
    @Shared(.inMemory("one")) var number = 1
    @Shared(.inMemory("two")) var other = 2
    $number = $other
    number = 5
    @Shared(.inMemory("one")) var first = 0
    #expect(other == 5 && first == 0, "nothing shared the first one any more")
  }

  @Test("a reader sees the value of the key, and its members")
  func reader() async {
    @Shared(.inMemory("read")) var settings = Settings()
    @SharedReader(.inMemory("read")) var read = Settings(name: "other")
    settings.size = 7
    #expect(read.size == 7 && $read.size.wrappedValue == 7)
    #expect(SharedReader($settings) == $read && !$read.isLoading && $read.loadError == nil)
    var values = $read.size.values.makeAsyncIterator()
    #expect(await values.next() == 7)
    #expect(SharedReader(value: 3).wrappedValue == 3)
  }

  @Test("a key with a default names the value of the key alone")
  func defaults() {
    @Shared(.settings) var settings
    #expect(settings.name == "default")
    settings.name = "b"
    @Shared(.inMemory("settings")) var same = Settings()
    @SharedReader(.settings) var read
    @Shared(.settings) var other = Settings(name: "c")
    #expect(same.name == "b" && read.name == "b" && other.name == "b")
  }
}
