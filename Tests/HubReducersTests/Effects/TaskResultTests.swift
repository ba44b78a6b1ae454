// Tests results whose errors are compared as far as possible, and streams without elements.

import HubReducers
import Testing

@Suite("Results and streams")
struct TaskResultTests {
  private struct Failure: Error, Equatable { var code: Int }
  private struct Opaque: Error {}

  @Test("a result holds what an operation returns or throws")
  func catching() async throws {
    #expect(await TaskResult { 1 } == .success(1))
    let failed = await TaskResult<Int> { throw Failure(code: 2) }
    #expect(failed == .failure(Failure(code: 2)))
    #expect(throws: Failure(code: 2)) { try failed.value }
    #expect(TaskResult(.success(1) as Result<Int, Never>).map { $0 + 1 } == .success(2))
    #expect(TaskResult.success(1).flatMap { _ in failed } == failed)
    #expect(try Result(TaskResult.success(3)).get() == 3)
    #expect(failed.is(\.failure) && TaskResult.success(1)[case: \.success] == 1)
  }

  private struct Holder { var result: TaskResult<Int> }

  @Test("errors are equal if their type can tell and says so")
  func equality() {
    #expect(TaskResult<Int>.failure(Failure(code: 1)) != .failure(Failure(code: 2)))
    #expect(TaskResult<Int>.failure(Opaque()) != .failure(Opaque()))
    #expect(TaskResult.success(1) != .failure(Opaque()))
    let one = TaskResult<Int>.failure(Failure(code: 1))
    #expect(one.hashValue == TaskResult<Int>.failure(Failure(code: 1)).hashValue)
  }

  @Test("a stream without elements ends with the task that reads it, a finished one at once")
  func streams() async throws {
    for await _ in AsyncStream<Int>.finished { Issue.record("an element") }
    for try await _ in AsyncThrowingStream<Int, any Error>.finished { Issue.record("an element") }
    await #expect(throws: Opaque.self) {
      for try await _ in AsyncThrowingStream<Int, any Error>.finished(throwing: Opaque()) {}
    }
    let log = Log<String>()
    let reader = Task {
      for await _ in AsyncStream<Int>.never {}
      for try await _ in AsyncThrowingStream<Int, any Error>.never {}
      log.append("ended")
      do { try await Task.never() } catch { log.append("ended again") }
      try await Task.never() as Void
    }
    #expect(log.entries.isEmpty)
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    #expect(log.entries == ["ended", "ended again"])
  }
}
