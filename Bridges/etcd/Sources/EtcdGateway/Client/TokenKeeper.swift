// The token that a user gets for the password: got once for all requests, and again when etcd refuses it.

internal import Synchronization

final class TokenKeeper: Sendable {
  /// Where the token is. `advance` alone assigns it.
  private enum Phase {
    case none
    case asking(Task<Result<String, EtcdFailure>, Never>)
    case known(String)
    /// etcd has refused the password. It is not asked again before: checking one takes a member's processor a while.
    case refused(EtcdFailure, until: ContinuousClock.Instant)
  }

  private enum Move {
    case ask
    case got(Result<String, EtcdFailure>)
    case drop(String)
  }

  private static let pause = Duration.seconds(1)
  private let phase = Mutex(Phase.none)
  private let authenticate: @Sendable () async -> Result<String, EtcdFailure>

  init(_ authenticate: @escaping @Sendable () async -> Result<String, EtcdFailure>) {
    self.authenticate = authenticate
  }

  /// The token. All who wait for one wait for the same request.
  func token() async throws(EtcdFailure) -> String {
    switch advance(.ask) {
    case .known(let token): return token
    case .refused(let failure, _): throw failure
    case .asking(let task): return try await task.value.get()
    case .none: throw EtcdFailure(.cancelled, .none)
    }
  }

  /// etcd has refused this token. Another that was got meanwhile stays.
  func drop(_ token: String) { advance(.drop(token)) }

  @discardableResult private func advance(_ move: Move) -> Phase {
    phase.withLock { phase in
      phase = next(phase, move)
      return phase
    }
  }

  private func next(_ phase: Phase, _ move: Move) -> Phase {
    switch (phase, move) {
    case (.none, .ask): return .asking(ask())
    case (.refused(_, let until), .ask) where ContinuousClock.now >= until: return .asking(ask())
    case (_, .ask): return phase
    case (.known(let known), .drop(let token)): return known == token ? .none : phase
    case (_, .drop): return phase
    case (_, .got(.success(let token))): return .known(token)
    case (_, .got(.failure(let failure))):
      // Whoever has waited gets the failure. Only a refused password is remembered.
      guard case .authentication = failure.problem else { return .none }
      return .refused(failure, until: .now + TokenKeeper.pause)
    }
  }

  private func ask() -> Task<Result<String, EtcdFailure>, Never> {
    Task {
      let result = await authenticate()
      advance(.got(result))
      return result
    }
  }
}
