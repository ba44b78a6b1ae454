// Tests handing on the dependencies of a model, and functions that are unimplemented.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import Testing

private class Model {
  @Dependency(\.numberStore) var numberStore
  func value() async -> Int? { await numberStore.value().first { _ in true } }
  func child() -> Model { withDependencies(from: self) { Model() } }
}

private final class Descendant: Model { var x = 1 }

private final class Plain {}

@Suite("The dependencies of a model")
struct ModelDependencyTests {
  @Test("go on to what it makes, and to what that makes, outside of where they were given")
  func inheritance() async {
    let model = withDependencies {
      $0.numberStore = .inMemory(5)
    } operation: {
      Descendant()
    }
    #expect(await model.child().child().value() == 5)
  }

  @Test("give way to changes for the operation, and to what the task was given on purpose")
  func changes() async {
    let model = withDependencies {
      $0.numberStore = .inMemory(5)
    } operation: {
      Model()
    }
    let changed = withDependencies(from: model) {
      $0.numberStore = .inMemory(6)
    } operation: {
      Model()
    }
    #expect(await changed.value() == 6)
    let value = await withDependencies(from: model) {
      await withDependencies {
        $0.numberStore = .inMemory(7)
      } operation: {
        await model.value()
      }
    }
    #expect(value == 7)
  }

  @Test("a model without any is reported at the caller's line")
  func none() async throws {
    let reports = await reports { withDependencies(from: Plain()) {} }
    let report = try #require(reports.first)
    #expect(report.message.contains("Plain") && report.fileID.hasSuffix("ModelDependencyTests.swift"))
  }
}

@Suite("An unimplemented function")
struct UnimplementedFunctionTests {
  @Test("reports its use, and returns its placeholder or throws")
  func use() async {
    let plain: @Sendable (Int, String) -> [Int] = unimplemented("API.list", placeholder: [1])
    let asynchronous: @Sendable () async -> Void = unimplemented("API.wait")
    let throwing: @Sendable (Int) throws -> Int = unimplemented("API.get")
    let both: @Sendable () async throws -> Int = unimplemented("API.fetch")
    let messages = await issues {
      #expect(plain(1, "") == [1])
      await asynchronous()
      #expect(throws: Unimplemented("API.get")) { try throwing(1) }
      await #expect(throws: Unimplemented("API.fetch")) { try await both() }
    }
    #expect(messages.count == 4)
    for (message, name) in zip(messages, ["list", "wait", "get", "fetch"]) {
      #expect(message.contains("API.\(name)"))
    }
  }
}
