// A client's core on a hub in memory: function calls move the bytes, on the caller's thread.

internal import HubClient
internal import HubCore
internal import HubEngine
internal import HubTransport
internal import Synchronization

/// One connection to an `InMemoryHub`.
final class MemoryDriver: HubDriver {
  private struct State: ~Copyable {
    var core: ClientCore
    /// The open connection.
    var session: SessionID?
    var assembler = FrameAssembler(maximumLength: .max)
  }

  let hub: InMemoryHub
  private let name: String
  private let state: Mutex<State>

  init(hub: InMemoryHub, name: String) {
    self.hub = hub
    self.name = name
    state = Mutex(State(core: ClientCore(name: name, seed: 0)))
  }

  var now: Deadline { hub.now }
  var isInProcess: Bool { true }

  func sibling() -> any HubDriver { hub.makeDriver(name: name) }

  func withCore<R: Sendable>(_ body: @Sendable (inout ClientCore, inout Effects) -> R) -> R {
    let result = turn { state, effects in body(&state.core, &effects) }
    hub.pump()
    return result
  }

  func close() {
    withCore { core, effects in core.close(&effects) }
    hub.forget(self)
  }

  /// Handles the passage of time.
  func tick() { turn { _, _ in } }

  /// Takes bytes that the hub has sent on that connection.
  func deliver(_ bytes: [UInt8], on session: SessionID) {
    let now = self.now
    turn { state, effects in
      guard state.session == session else { return }
      bytes.withByteView { state.assembler.append($0) }
      while let message = state.assembler.nextMessage() {
        if let error = state.core.receive(message, now: now, &effects) {
          state.core.lost(error, now: now, &effects)
          return
        }
      }
    }
  }

  /// Handles the end of that connection by the hub.
  func disconnect(_ session: SessionID) {
    let now = self.now
    turn { state, effects in
      guard state.session == session else { return }
      state.core.lost(HubError(.connectionLost, "the hub closed the connection"), now: now, &effects)
    }
  }

  /// Lets `body` work on the core, hands over what it wrote, and resumes the waiters that it woke.
  private func turn<R: Sendable>(_ body: @Sendable (inout State, inout Effects) -> R) -> R {
    var effects = Effects()
    let now = self.now
    let result = state.withLock { state in
      let result = body(&state, &effects)
      if case .connect = state.core.step(now: now, &effects) {
        do throws(HubError) {
          state.session = try hub.open(self)
          state.assembler = FrameAssembler(maximumLength: .max)
          state.core.connected(now: now, &effects)
        } catch {
          state.core.connectFailed(error, now: now, &effects)
        }
      }
      guard let session = state.session else { return result }
      if !state.core.link.isConnected {
        state.session = nil
        hub.close(session)
      } else if !state.core.unsent.isEmpty {
        hub.submit(state.core.unsent.array, from: session)
        state.core.didSend(state.core.unsent.count)
      }
      return result
    }
    effects.run()
    return result
  }
}
