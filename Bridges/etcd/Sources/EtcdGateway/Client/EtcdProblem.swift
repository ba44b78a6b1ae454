// The failures of requests to etcd, with recommendations.

/// Why a request has failed.
package enum EtcdProblem: Sendable, Equatable {
  /// The revision is no longer kept; with the oldest kept one, if etcd reports it.
  case compacted(oldest: Int64?)
  /// The revision does not exist yet.
  case futureRevision
  /// The member has no leader.
  case noLeader
  /// User and password are refused, or etcd has no users.
  case authentication(String)
  /// The token is missing, too old, or from another member's memory.
  case staleToken(String)
  /// The user may not do this.
  case permissionDenied(String)
  /// The database is full.
  case noSpace
  /// There are more requests than etcd accepts.
  case tooManyRequests
  /// The request or the answer is too large.
  case tooLarge(String)
  /// There is no such lease.
  case leaseNotFound
  /// etcd refuses the request itself.
  case rejected(String)
  /// The member cannot answer at present.
  case unavailable(String)
  /// No connection could be made.
  case unreachable(String)
  /// The connection ended before the answer did.
  case cut(String)
  /// The time was over.
  case deadline
  /// The answer is not from etcd.
  case malformed(String)
  /// A status that etcd's errors do not have.
  case status(Int, String)
  /// A certificate was refused, or a file with certificates cannot be used.
  case tls(String)
  /// The watch was ended by etcd.
  case watchCancelled(String)
  /// The client has too many pending requests.
  case busy
  /// The task was cancelled, or the client is gone.
  case cancelled
}

extension EtcdProblem: CustomStringConvertible {
  /// The problem and a recommendation.
  package var description: String {
    switch self {
    case .compacted(let oldest):
      "the revision is no longer kept\(oldest.map { ", the oldest is \($0)" } ?? ""): read all keys again, and watch from there"
    case .futureRevision:
      "the revision does not exist yet: another cluster, or one restored from a backup? Read all keys again"
    case .noLeader:
      "the cluster has no leader: it has too few members that reach each other, or is electing one"
    case .authentication(let text):
      "etcd does not accept user and password (\(text)): check both, and `etcdctl auth status`"
    case .staleToken(let text): "etcd does not accept the token (\(text)): authenticate again"
    case .permissionDenied(let text):
      "the user may not do this (\(text)): grant it with `etcdctl role grant-permission`"
    case .noSpace:
      "etcd's database is full: compact and defragment it, then `etcdctl alarm disarm`, or raise --quota-backend-bytes"
    case .tooManyRequests: "etcd has too many requests: send fewer, later"
    case .tooLarge(let text): "too large (\(text)): split it, or raise etcd's --max-request-bytes"
    case .leaseNotFound: "the lease has ended, and its keys with it: grant another"
    case .rejected(let text): "etcd refuses the request: \(text)"
    case .unavailable(let text): "the member cannot answer now (\(text)): try again, or another member"
    case .unreachable(let text):
      "the member cannot be reached (\(text)): check its address, and that it runs"
    case .cut(let text):
      "the connection has ended (\(text)): try again, or another member; with TLS, check that it accepts the certificate"
    case .deadline: "no answer in time: the member is overloaded, stopped or unreachable"
    case .malformed(let text):
      "this is not etcd's answer (\(text)): check that the address is that of etcd's client port"
    case .status(let status, let text):
      "status \(status)\(text.isEmpty ? "" : " (\(text))"): check that the address is etcd's own, and its version at least 3.4"
    case .tls(let text):
      "TLS: \(text): check the files with authorities, certificate and key, and the names in the member's certificate"
    case .watchCancelled(let text): "etcd has ended the watch\(text.isEmpty ? "" : ": \(text)"): watch again"
    case .busy: "too many requests are pending: wait for some of them"
    case .cancelled: "cancelled"
    }
  }
}

/// A failed request, with its possible effect.
package struct EtcdFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The possible effect on the cluster.
  package enum Effect: Sendable {
    /// Nothing was done: the request was not sent completely, or etcd has refused it.
    case none
    /// Unknown: the request was sent, and the answer is missing or inconclusive.
    case unknown
  }

  /// Why.
  package let problem: EtcdProblem
  /// The possible effect on the cluster.
  package let effect: Effect
  /// The endpoint that was asked last; `nil`: none.
  package var endpoint: String?

  /// The problem's text, with the endpoint.
  package var description: String { endpoint.map { "\($0): \(problem)" } ?? "\(problem)" }

  init(_ problem: EtcdProblem, _ effect: Effect, at endpoint: String? = nil) {
    self.problem = problem
    self.effect = effect
    self.endpoint = endpoint
  }
}
