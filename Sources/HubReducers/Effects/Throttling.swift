// Owns throttling, at most one action of an effect per interval, and debouncing, a delay until the trigger has been quiet.

extension Effect where Action: Sendable {
  /// Sends at most one action of this effect, and of others with the id, per `interval`.
  ///
  /// The first is sent immediately. One of the later ones within the interval is sent at its end: the newest if `latest`,
  /// otherwise the first. The others are dropped. A newer effect with the id, in the same scope, replaces this one.
  /// - Parameter clock: Measures the time; use the dependency `continuousClock`, so that tests can advance it.
  public func throttle(
    id: some Hashable & Sendable, for interval: Duration, clock: any Clock<Duration>, latest: Bool
  ) -> Self {
    let id = EffectID(id)
    let throttle = { @Sendable in ThrottledSend<Action>(id, interval, clock, isLatest: latest, $0) }
    // All actions are sent by a task.
    let node = node.mapLeaves { action in
      let site = IssueSite(#fileID, #filePath, #line, #column)
      return .run(
        Run(priority: nil, site: site, maker: Action.self, dependencies: .current) { send in
          await throttle(send).run { await $0(action) }
        })
    } run: { run in
      var run = run
      run.operation = { [operation = run.operation] send in await throttle(send).run(operation) }
      return .run(run)
    }
    return Self(node: node).cancellable(id, .cancelOld)
  }
}

/// The `send` of a throttled operation.
private struct ThrottledSend<Action: Sendable>: Sendable {
  let id: EffectID
  let interval: Duration
  let clock: any Clock<Duration>
  let isLatest: Bool
  let send: Send<Action>

  init(
    _ id: EffectID, _ interval: Duration, _ clock: any Clock<Duration>, isLatest: Bool, _ send: Send<Action>
  ) {
    self.id = id
    self.interval = interval
    self.clock = clock
    self.isLatest = isLatest
    self.send = send
  }

  /// Runs an operation, and sends the pending action at the end of each interval. Ends when both are done.
  func run(_ operation: @escaping @Sendable @concurrent (Send<Action>) async -> Void) async {
    guard let context = EffectContext.current else { return await operation(send) }
    let throttle = context.registry.throttle(id, at: context.path)
    let (ends, signal) = AsyncStream<Duration>.makeStream()
    let throttled = Send<Action> { action, _ in
      switch throttle.pass(action, every: interval, clock, isLatest: isLatest) {
      case .now: await send(action)
      case .after(let rest): signal.yield(rest)
      case .never: break
      }
    }
    await withTaskGroup { group in
      group.addTask {
        await operation(throttled)
        signal.finish()
      }
      group.addTask {
        for await rest in ends {
          guard (try? await clock.sleep(for: rest)) != nil else { return throttle.giveUp() }
          if let action = throttle.endInterval(clock) as? Action { await send(action) }
        }
      }
    }
  }
}

extension Effect {
  /// Starts the effect once `interval` has passed without another effect with the id.
  ///
  /// - Parameter clock: Measures the time; use the dependency `continuousClock`, so that tests can advance it.
  public func debounce(
    id: some Hashable & Sendable, for interval: Duration, clock: any Clock<Duration>
  ) -> Self {
    Effect.run { _ in try await clock.sleep(for: interval) }
      .concatenate(with: self)
      .cancellable(id: id, cancelInFlight: true)
  }
}
