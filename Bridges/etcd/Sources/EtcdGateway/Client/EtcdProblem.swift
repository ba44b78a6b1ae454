// Everything that etcd and the way to it can answer instead of what was asked for, and what to do about it.

/// Why a request has failed.
package enum EtcdProblem: Sendable, Equatable {
  /// The revision is no longer kept; the oldest that is, if etcd says it.
  case compacted(oldest: Int64?)
  /// The revision has not come yet.
  case futureRevision
  /// The member knows no leader.
  case noLeader
  /// User and password are refused, or etcd has no users.
  case authentication(String)
  /// The token is missing, too old, or of another member's memory.
  case staleToken(String)
  /// The user may not do this.
  case permissionDenied(String)
  /// The database is full.
  case noSpace
  /// There are more requests than etcd takes.
  case tooManyRequests
  /// The request or the answer is too large.
  case tooLarge(String)
  /// There is no such lease.
  case leaseNotFound
  /// etcd refuses the request itself.
  case rejected(String)
  /// The member cannot answer at present.
  case unavailable(String)
  /// No connection came about.
  case unreachable(String)
  /// The connection ended before the answer did.
  case cut(String)
  /// The time was over.
  case deadline
  /// The answer is none of etcd's.
  case malformed(String)
  /// A status that etcd's errors do not have.
  case status(Int, String)
  /// A certificate was refused, or a file with certificates cannot be used.
  case tls(String)
  /// The watch was ended by etcd.
  case watchCancelled(String)
  /// The client has too many requests under way.
  case busy
  /// The task was cancelled, or the client is gone.
  case cancelled
}

extension EtcdProblem: CustomStringConvertible {
  /// What has happened, and what to do.
  package var description: String {
    switch self {
    case .compacted(let oldest):
      "the revision is no longer kept\(oldest.map { ", the oldest is \($0)" } ?? ""): read all keys again, and watch from there"
    case .futureRevision:
      "the revision has not come yet: another cluster, or one restored from a backup? Read all keys again"
    case .noLeader:
      "the cluster has no leader: it has too few members that reach each other, or is electing one"
    case .authentication(let text):
      "etcd does not accept user and password (\(text)): check both, and `etcdctl auth status`"
    case .staleToken(let text): "etcd does not accept the token (\(text)): authenticate again"
    case .permissionDenied(let text):
      "the user may not do this (\(text)): grant it with `etcdctl role grant-permission`"
    case .noSpace:
      "etcd's database is full: compact and defragment it, then `etcdctl alarm disarm`, or raise --quota-backend-bytes"
    case .tooManyRequests: "etcd has more requests than it can take: send fewer, later"
    case .tooLarge(let text): "too large (\(text)): split it, or raise etcd's --max-request-bytes"
    case .leaseNotFound: "the lease has ended, and its keys with it: grant another"
    case .rejected(let text): "etcd refuses the request: \(text)"
    case .unavailable(let text): "the member cannot answer now (\(text)): try again, or another member"
    case .unreachable(let text):
      "the member cannot be reached (\(text)): check its address and whether it runs"
    case .cut(let text):
      "the connection has ended (\(text)): try again, or another member; with TLS, check that it accepts the certificate"
    case .deadline: "no answer in time: the member is overloaded, stopped or cut off"
    case .malformed(let text):
      "this is not etcd's answer (\(text)): check that the address is that of etcd's client port"
    case .status(let status, let text):
      "status \(status)\(text.isEmpty ? "" : " (\(text))"): check that the address is etcd's own, and its version at least 3.4"
    case .tls(let text):
      "TLS: \(text): check the files with authorities, certificate and key, and the member's names"
    case .watchCancelled(let text): "etcd has ended the watch\(text.isEmpty ? "" : ": \(text)"): watch again"
    case .busy: "too many requests are under way: wait for some of them"
    case .cancelled: "cancelled"
    }
  }
}

/// A request that has failed, and what is certain about its effect.
package struct EtcdFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// What can have happened to the cluster.
  package enum Effect: Sendable {
    /// Certainly nothing: it was not sent as a whole, or etcd has refused it.
    case none
    /// It is not known: it was sent, and its answer is missing or leaves it open.
    case unknown
  }

  /// Why.
  package let problem: EtcdProblem
  /// What can have happened to the cluster.
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
