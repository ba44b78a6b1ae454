// Owns asynchronous effects: what they capture, and where their errors go.

extension Effect {
  /// Asynchronous work that may send any number of actions.
  ///
  /// The operation runs off the store's isolation, on the global executor (on the test's executor under a
  /// `TestStore`), and starts once every action queued with this one is reduced. It sees the dependencies of the
  /// reducer that made it. After it is cancelled, the actions it sends are dropped and its errors are ignored.
  /// Otherwise a `CancellationError` ends it quietly, and any other error without `handler` is reported as an issue.
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - name: The task's name in tools and in a `TestStore`'s failures.
  ///   - operation: The work. It must not use `send` after it returns.
  ///   - handler: Gets any error that the operation threw, other than a `CancellationError`.
  public static func run(
    priority: TaskPriority? = nil, name: String? = nil,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>) async throws -> Void,
    catch handler: (@Sendable @concurrent (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Self {
    .run(
      priority: priority, name: name, site: IssueSite(fileID, filePath, line, column), operation: operation,
      catch: handler)
  }

  static func run(
    priority: TaskPriority? = nil, name: String? = nil, site: IssueSite,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>) async throws -> Void,
    catch handler: (@Sendable @concurrent (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil
  ) -> Self {
    let run = Run(name: name, priority: priority, site: site, maker: Action.self, dependencies: .current) {
      send in
      do {
        try await operation(send)
      } catch is CancellationError {
        // A cancelled effect ends quietly.
      } catch {
        // A cancelled effect may throw its own error, as a request to the hub does.
        if handler == nil, Task.isCancelled { return }
        guard let handler else {
          return site.report(
            """
            An effect threw \(String(reflecting: error)) and nothing caught it. Handle the error in the \
            operation, or give Effect.run a catch: closure.
            """)
        }
        await handler(error, send)
      }
    }
    return Self(node: .run(run))
  }

  /// Synchronous work that sends nothing. Several keep their order, and all run after the new state is published and
  /// before asynchronous effects start; slow work runs then only in tests.
  package static func perform(isSlow: Bool = false, _ operation: @escaping @Sendable () -> Void) -> Self {
    Self(node: .perform(SynchronousWork(isSlow: isSlow, dependencies: .current, operation: operation)))
  }
}
