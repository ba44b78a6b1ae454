// The problem and the effect of a transport's failure or of etcd's error.

internal import FoundationEssentials

extension EtcdFailure {
  /// A transfer has failed.
  init(_ failure: TransportFailure, at endpoint: String?) {
    let problem: EtcdProblem =
      switch failure.kind {
      case .unreachable: .unreachable(failure.text)
      case .tls: .tls(failure.text)
      case .deadline: .deadline
      case .cut: .cut(failure.text)
      case .malformed: .malformed(failure.text)
      case .tooLong: .tooLarge(failure.text)
      case .busy: .busy
      case .cancelled, .closed: .cancelled
      case .invalid: .rejected(failure.text)
      }
    self.init(problem, failure.mayHaveBeenReceived ? .unknown : .none, at: endpoint)
  }

  /// An answer with another status than 200.
  init(status: Int, body: [UInt8], at endpoint: String?) {
    if let error = try? JSONDecoder().decode(ErrorBody.self, from: Data(body)) {
      self.init(error, status: status, at: endpoint)
    } else {
      let text = String(decoding: body.prefix(200), as: UTF8.self)
      let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      self.init(.status(status, line), (300..<500).contains(status) ? .none : .unknown, at: endpoint)
    }
  }

  /// One of etcd's errors.
  init(_ error: ErrorBody, status: Int, at endpoint: String?) {
    let known = EtcdFailure.known.first { error.message.contains($0.text) }
    let (problem, effect) = known?.meaning(error.message) ?? EtcdFailure.meaning(of: error, status)
    self.init(problem, effect, at: endpoint)
  }

  /// The meaning of etcd's errors that share a code.
  private static let known: [(text: String, meaning: @Sendable (String) -> (EtcdProblem, Effect))] = [
    ("revision has been compacted", { _ in (.compacted(oldest: nil), .none) }),
    ("future revision", { _ in (.futureRevision, .none) }),
    ("no leader", { _ in (.noLeader, .none) }),
    ("invalid auth token", { (.staleToken($0), .none) }),
    ("user name is empty", { (.staleToken($0), .none) }),
    ("revision of auth store is old", { (.staleToken($0), .none) }),
    ("authentication failed", { (.authentication($0), .none) }),
    ("authentication is not enabled", { (.authentication($0), .none) }),
    ("permission denied", { (.permissionDenied($0), .none) }),
    ("database space exceeded", { _ in (.noSpace, .none) }),
    ("too many requests", { _ in (.tooManyRequests, .none) }),
    ("request is too large", { (.tooLarge($0), .none) }),
    ("message larger than max", { (.tooLarge($0), .none) }),
    ("requested lease not found", { _ in (.leaseNotFound, .none) }),
  ]

  /// The meaning of the other gRPC codes. A refused request had no effect.
  private static func meaning(of error: ErrorBody, _ status: Int) -> (EtcdProblem, Effect) {
    switch error.code {
    case 4: (.deadline, .unknown)
    case 3, 5, 6, 9, 11, 12: (.rejected(error.message), .none)
    case 7: (.permissionDenied(error.message), .none)
    case 8: (.tooManyRequests, .unknown)
    case 16: (.authentication(error.message), .none)
    case 1, 2, 10, 13, 14, 15: (.unavailable(error.message), .unknown)
    default: (.status(status, error.message), (300..<500).contains(status) ? .none : .unknown)
    }
  }

  /// Whether another endpoint may do better.
  var blamesEndpoint: Bool {
    switch problem {
    case .unreachable, .cut, .deadline, .unavailable, .noLeader, .tls, .malformed, .status: true
    default: false
    }
  }
}
