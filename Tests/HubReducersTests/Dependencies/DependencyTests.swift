// Tests that dependencies are found, overridden, computed once, and kept across escaping closures.

import HubReducers
import HubReducersTesting
import Synchronization
import Testing

private final class Box: Sendable {}

private struct BoxClient: DependencyKey {
  var box: Box
  static var liveValue: BoxClient { BoxClient(box: Box()) }
  static var testValue: BoxClient { BoxClient(box: Box()) }
}

private struct OnlyLive: DependencyKey {
  var name = "live"
  static var liveValue: OnlyLive { OnlyLive() }
}

private struct OnlyTest: TestDependencyKey {
  var name = "test"
  static var testValue: OnlyTest { OnlyTest() }
}

/// Its live value is slow to make, and counts how often it was made.
private enum SlowKey: DependencyKey {
  static let made = Atomic(0)

  static var liveValue: Box {
    made.add(1, ordering: .relaxed)
    // Long enough that other threads arrive meanwhile.
    for _ in 0..<200_000 { _ = made.load(ordering: .relaxed) }
    return Box()
  }
}

/// Needs another dependency to be made.
private struct Outer: DependencyKey {
  var inner: Box
  static var liveValue: Outer {
    @Dependency(BoxClient.self) var client
    return Outer(inner: client.box)
  }
}

extension DependencyValues {
  fileprivate var name: String {
    get { self[NameKey.self] }
    set { self[NameKey.self] = newValue }
  }
}

private enum NameKey: DependencyKey {
  static var liveValue: String { "live" }
  static var previewValue: String { "preview" }
  static var testValue: String { "test" }
}

@Suite struct DependencyTests {
  @Test("the context decides which default is used")
  func contexts() {
    @Dependency(\.name) var name
    @Dependency(\.context) var context
    #expect(context == .test)
    #expect(name == "test")
    withDependencies {
      $0.context = .preview
    } operation: {
      #expect(name == "preview")
    }
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(name == "live")
    }
  }

  @Test("a computed live value is made once per process")
  func liveValueOnce() async {
    let boxes = await withTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<32 {
        group.addTask {
          withDependencies {
            $0.context = .live
          } operation: {
            @Dependency(SlowKey.self) var box
            return ObjectIdentifier(box)
          }
        }
      }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(boxes.count == 1)
    #expect(SlowKey.made.load(ordering: .relaxed) == 1)
  }

  @Test("a default that needs another dependency gets the one that everybody has")
  func nestedDefaults() {
    withDependencies {
      $0.context = .live
    } operation: {
      @Dependency(Outer.self) var outer
      @Dependency(BoxClient.self) var client
      #expect(outer.inner === client.box)
    }
  }

  @Test("two test stores do not share their defaults, one does with itself")
  func testDefaultsAreIsolated() {
    let first = TestStore(initialState: 0) { EmptyReducer<Int, Never>() }
    let second = TestStore(initialState: 0) { EmptyReducer<Int, Never>() }
    #expect(first.dependencies[BoxClient.self].box === first.dependencies[BoxClient.self].box)
    #expect(first.dependencies[BoxClient.self].box !== second.dependencies[BoxClient.self].box)
  }

  @Test("a dependency without a test value reports its use in a test")
  func missingTestValue() {
    let messages = issues {
      withDependencies {
        $0 = $0.isolatedForTest()
      } operation: {
        @Dependency(OnlyLive.self) var client
        #expect(client.name == "live")
      }
    }
    #expect(messages.count == 1)
    #expect((messages.first ?? "").contains("OnlyLive has no testValue"))
  }

  @Test("a dependency without a live value reports its use in the program")
  func missingLiveValue() {
    // The default is computed, and so reported, once per process.
    #expect(Self.reportsOfMissingLiveValue.count == 1)
    #expect(Self.reportsOfMissingLiveValue.allSatisfy { $0.contains("OnlyTest has no live value") })
  }

  private static let reportsOfMissingLiveValue = issues {
    withDependencies {
      $0.context = .live
    } operation: {
      @Dependency(OnlyTest.self) var client
      #expect(client.name == "test")
    }
  }

  @Test("a wrapper made under an override keeps it; one in force where it is read wins")
  func overrides() {
    @Dependency(\.name) var outside
    let inside = withDependencies {
      $0.name = "made"
    } operation: {
      Dependency(\.name)
    }
    #expect(outside == "test")
    #expect(inside.wrappedValue == "made")
    withDependencies {
      $0.name = "read"
    } operation: {
      #expect(outside == "read")
      #expect(inside.wrappedValue == "read")
    }
    #expect(inside.wrappedValue == "made")
  }

  @Test("child tasks inherit overrides, and a nested override ends with its operation")
  func inheritance() async {
    let name = Dependency(\.name)
    await withDependencies {
      $0.name = "outer"
    } operation: {
      async let child = name.wrappedValue
      #expect(await child == "outer")
      withDependencies {
        $0.name = "inner"
      } operation: {
        #expect(name.wrappedValue == "inner")
      }
      #expect(name.wrappedValue == "outer")
    }
  }

  @Test("dependencies survive a closure that escapes the task")
  func escaping() async {
    let name = Dependency(\.name)
    let continuation = withDependencies {
      $0.name = "kept"
    } operation: {
      withEscapedDependencies { $0 }
    }
    let plain = await Task.detached { name.wrappedValue }.value
    let kept = await Task.detached { continuation.yield { name.wrappedValue } }.value
    let later = await Task.detached {
      await continuation.yield { await Task { name.wrappedValue }.value }
    }.value
    #expect(plain == "test")
    #expect(kept == "kept")
    #expect(later == "kept")
  }

  @Test("the test context is recognised by the test runner's arguments")
  func detection() {
    #expect(DependencyContext.isTesting(["/x/statehubPackageTests.xctest"]))
    #expect(DependencyContext.isTesting(["/x/helper", "--testing-library", "swift-testing"]))
    #expect(!DependencyContext.isTesting(["/usr/bin/statectl", "watch", "number"]))
  }

  @Test("values prepared for the process are found in every context")
  func prepared() {
    struct Prepared: DependencyKey {
      var name = "live"
      static var liveValue: Prepared { Prepared() }
    }
    prepareDependencies { $0[Prepared.self] = Prepared(name: "prepared") }
    withDependencies {
      $0.context = .live
    } operation: {
      @Dependency(Prepared.self) var client
      #expect(client.name == "prepared")
    }
  }

  @Test("a dependency that needs itself stops the program with its name")
  func cycle() async {
    await #expect(processExitsWith: .failure) {
      withDependencies {
        $0.context = .live
      } operation: {
        @Dependency(Cyclic.self) var client
        _ = client
      }
    }
  }
}

private struct Cyclic: DependencyKey {
  static var liveValue: Cyclic {
    @Dependency(Cyclic.self) var client
    return client
  }
}
