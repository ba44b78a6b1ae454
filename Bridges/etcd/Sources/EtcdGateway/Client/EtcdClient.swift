// A client of an etcd cluster: which endpoint is asked, how often, and with which token.

internal import FoundationEssentials

/// A cluster, through its JSON gateway. Any number of tasks can use it at a time.
///
/// A call asks the endpoint that worked last. If that fails, a call that reads asks the others in turn; one that writes does
/// so only if it is certain that nothing of it was carried out. `EtcdFailure.effect` says which it is.
package final class EtcdClient: Sendable {
  let gateway: Gateway
  private let tokens: TokenKeeper?

  /// A client. It connects with its first call.
  ///
  /// - Throws: `rejected` for endpoints that are none.
  package init(_ settings: EtcdSettings) throws(EtcdFailure) {
    let gateway = try Gateway(settings)
    self.gateway = gateway
    tokens = settings.user.map { user in TokenKeeper { await EtcdClient.authenticate(user, gateway) } }
  }

  /// The endpoint that the next call asks first.
  package var endpoint: String { gateway.rotation.current }

  /// The endpoints, in the order in which they are asked.
  package var endpoints: [String] { gateway.rotation.endpoints }

  /// Asks and reads the answer.
  ///
  /// - Parameter endpoint: the only one to ask; `nil`: whichever answers.
  func call<Answer: Decodable & Sendable>(
    _ call: Call, _: Answer.Type = Answer.self, at endpoint: String? = nil, within: Duration? = nil
  ) async throws(EtcdFailure) -> Answer {
    let deadline = ContinuousClock.now + (within ?? gateway.settings.call)
    return try await withToken { token throws(EtcdFailure) in
      try await gateway.rotate(call, only: endpoint, until: deadline) { endpoint, until throws(EtcdFailure) in
        try await self.gateway.attempt(call, Answer.self, at: endpoint, token: token, until: until)
      }
    }
  }

  /// Carries something out with the token, and once more with a new one if etcd refuses it.
  func withToken<Value: Sendable>(
    replacedIf isRefusal: (EtcdFailure) -> Bool = \.isTokenRefusal,
    _ body: (String?) async throws(EtcdFailure) -> Value
  ) async throws(EtcdFailure) -> Value {
    guard let tokens else { return try await body(nil) }
    let token = try await tokens.token()
    do {
      return try await body(token)
    } catch {
      guard isRefusal(error) else { throw error }
      tokens.drop(token)
      return try await body(try await tokens.token())
    }
  }
}

extension Gateway {
  /// Tries endpoints until one does it, the failure is none of the endpoint's, or it is not certain what was done.
  func rotate<Value: Sendable>(
    _ call: Call, only: String? = nil, until deadline: ContinuousClock.Instant,
    _ attempt: (String, ContinuousClock.Instant) async throws(EtcdFailure) -> Value
  ) async throws(EtcdFailure) -> Value {
    var left = only == nil ? rotation.endpoints.count : 1
    while true {
      let endpoint = only ?? rotation.current
      left -= 1
      do {
        let until = call.isReading && left > 0 ? min(deadline, .now + settings.attempt) : deadline
        return try await attempt(endpoint, until)
      } catch {
        guard error.blamesEndpoint else { throw error }
        rotation.leave(endpoint)
        let isSafe = call.isReading || error.effect == .none
        guard left > 0, isSafe, ContinuousClock.now < deadline, !Task.isCancelled else { throw error }
      }
    }
  }
}

extension EtcdClient {
  private struct Credentials: Encodable {
    let name: String
    let password: String
  }

  private struct Token: Decodable {
    let token: String
  }

  /// Asks for a token. It changes nothing that anybody sees, so any endpoint will do.
  private static func authenticate(_ user: String, _ gateway: Gateway) async -> Result<String, EtcdFailure> {
    do throws(EtcdFailure) {
      let password: String
      do {
        password = try gateway.settings.password()
      } catch {
        throw EtcdFailure(.authentication("the password cannot be read: \(error)"), .none)
      }
      let call = try Call(
        "/v3/auth/authenticate", Credentials(name: user, password: password), isReading: true)
      let deadline = ContinuousClock.now + gateway.settings.call
      let answer = try await gateway.rotate(call, until: deadline) { endpoint, until throws(EtcdFailure) in
        try await gateway.attempt(call, Token.self, at: endpoint, token: nil, until: until)
      }
      return .success(answer.token)
    } catch {
      return .failure(error)
    }
  }
}

extension EtcdFailure {
  /// Whether a new token may help.
  var isTokenRefusal: Bool { if case .staleToken = problem { true } else { false } }

  /// Whether the user lacks the permission.
  var isPermissionRefusal: Bool { if case .permissionDenied = problem { true } else { false } }
}
