// Owns running asynchronous effects, and the actions that they send.

extension Engine {
  /// Work that waits for the end of the drain.
  enum Start {
    case run(Effect<Action>.Run, CancelToken, Frame, () -> Void)
    case perform(SynchronousWork, CancelToken, () -> Void)
  }

  /// An effect whose operation has not returned.
  struct Running {
    var frame: Frame
    var token: CancelToken
    var site: IssueSite
    var name: String?
    var task: Task<Void, Never>
    var done: () -> Void
  }

  /// Starts the collected effects, in order. Those cancelled in the meantime never start.
  func launch() {
    if hasStarts { launchAll() }
  }

  func startLater(_ start: Start) {
    starts.append(start)
    hasStarts = true
  }

  @inline(never)
  private func launchAll() {
    let batch = starts
    starts.removeAll(keepingCapacity: true)
    hasStarts = false
    for start in batch {
      switch start {
      case .perform(let work, let token, let done):
        if token.isCancelled {
          done()
        } else {
          perform(work, done)
        }
      case .run(let run, let token, let frame, let done):
        guard token.isCancelled else {
          launch(run, token, frame, done)
          continue
        }
        token.end()
        done()
      }
    }
  }

  /// Slow work runs in sequence, without blocking the store or its caller. In tests it runs at once.
  private func perform(_ work: SynchronousWork, _ done: @escaping () -> Void) {
    guard work.isSlow, executor == nil else {
      DependencyValues.$current.withValue(work.dependencies, operation: work.operation)
      return done()
    }
    nextRunning += 1
    let id = nextRunning
    let confined = Confined(self, to: isolation)
    performed[id] = done
    lastPerformed = Task { [lastPerformed] in
      await lastPerformed?.value
      DependencyValues.$current.withValue(work.dependencies, operation: work.operation)
      await confined.perform { $0.endedPerforming(id) }
    }
  }

  private func endedPerforming(_ id: Int) {
    if id == nextRunning { lastPerformed = nil }
    performed.removeValue(forKey: id)?()
    launch()
    drain()
  }

  private func launch(
    _ run: Effect<Action>.Run, _ token: CancelToken, _ frame: Frame, _ done: @escaping () -> Void
  ) {
    nextRunning += 1
    let id = nextRunning
    let site = run.site
    let context = EffectContext(
      site: site, maker: run.maker, registry: registry, path: frame.path, token: token, executor: executor,
      outside: outside)
    let confined = Confined(self, to: isolation)
    let send = Send<Action> { action, effects in
      await confined.perform { $0.receive(action, from: id, effects, site) }
    }
    let task = Task(name: run.name, executorPreference: executor, priority: run.priority) {
      await DependencyValues.$current.withValue(run.dependencies) {
        await EffectContext.$current.withValue(context) {
          if !Task.isCancelled { await run.operation(send) }
        }
      }
      await confined.perform { $0.ended(id) }
    }
    running[id] = Running(frame: frame, token: token, site: site, name: run.name, task: task, done: done)
    token.onCancel { task.cancel() }
  }

  private func receive(_ action: Action, from id: Int, _ effects: SentEffects, _ site: IssueSite) {
    guard let running = running[id] else {
      return site.report(
        """
        An effect sent \(String(describing: action)) after its operation had returned, so it was dropped. \
        Await everything that uses send before the operation returns.
        """)
    }
    guard !running.token.isCancelled else { return }
    let tree = effects == .attached ? running.frame.tree : EffectTree(parent: root)
    enqueue(action, .effect, tree, token: running.token)
    drain()
  }

  private func ended(_ id: Int) {
    guard let ended = running.removeValue(forKey: id) else { return }
    ended.token.end()
    ended.done()
    // The end may have started the next effect of a sequence.
    launch()
    drain()
  }
}

extension Engine {
  package var hasEffectsInFlight: Bool { !running.isEmpty }

  /// The numbers of the effects whose operation has not returned.
  package var inFlightIDs: some Collection<Int> { running.keys }

  /// The effects whose operation has not returned, oldest first. Described for a report, which costs.
  package var inFlight: [InFlightEffect] {
    running.sorted { $0.key < $1.key }.map { id, running in
      InFlightEffect(
        id: id, name: running.name, site: "\(running.site)", isCancelled: running.token.isCancelled,
        cause: running.frame.cause.map { String(describing: $0) })
    }
  }

  /// Cancels everything, permanently: later effects are cancelled at once.
  package func cancelAll() { root.cancel() }

  /// ``cancelAll()``, from any thread.
  package var ending: @Sendable () -> Void { { [root] in root.cancel() } }

  /// Cancels what is running now.
  package func cancelInFlight() {
    for (_, effect) in running.sorted(by: { $0.key < $1.key }) { effect.token.cancel() }
  }

  /// The tasks of the effects in flight.
  package var tasks: [Task<Void, Never>] {
    running.values.map(\.task) + (lastPerformed.map { [$0] } ?? [])
  }
}

/// The text of a report about an effect that is still running.
package struct InFlightEffect: Sendable {
  package var id: Int
  package var name: String?
  package var site: String
  package var isCancelled: Bool
  package var cause: String?
}
