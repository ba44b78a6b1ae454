// The stream of one watch: its lines as messages, and a guard who asks the member while the stream is silent.

internal import Synchronization

final class WatchStream: Sendable {
  let endpoint: String
  let stream: HTTPStream
  /// The failure that the guard has found, which explains why the stream was cancelled.
  private let verdict: Verdict
  private let watchman: Task<Void, Never>

  private final class Verdict: Sendable {
    let failure = Mutex<EtcdFailure?>(nil)
  }

  init(_ stream: HTTPStream, at endpoint: String, client: EtcdClient) {
    self.endpoint = endpoint
    self.stream = stream
    let verdict = Verdict()
    self.verdict = verdict
    let (pause, timeout) = (client.gateway.settings.watchCheck, client.gateway.settings.attempt)
    watchman = Task { [weak stream, weak client] in
      var activity = 0
      while (try? await Task.sleep(for: pause)) != nil {
        guard let stream, let client else { return }
        if stream.activity != activity {
          activity = stream.activity
          continue
        }
        do throws(EtcdFailure) {
          try await client.probe(at: endpoint, within: timeout)
        } catch {
          if Task.isCancelled || error.problem == .busy { continue }
          verdict.failure.withLock { $0 = error }
          return stream.cancel()
        }
      }
    }
  }

  deinit {
    watchman.cancel()
    stream.cancel()
  }

  /// Waits for the message that says that the watch was made.
  func created() async throws(EtcdFailure) -> OpenedWatch {
    var lines = stream.lines()
    let message = try await next(&lines)
    guard message.isCreated else {
      throw EtcdFailure(.malformed("a watch begins otherwise"), .unknown, at: endpoint)
    }
    return OpenedWatch(stream: self, lines: lines, revision: message.header.revision)
  }

  /// The next message. One that ends the watch is a failure.
  func next(_ lines: inout HTTPLines) async throws(EtcdFailure) -> WatchMessage {
    let line: [UInt8]?
    do {
      line = try await lines.next()
    } catch {
      throw verdict.failure.withLock { $0 } ?? EtcdFailure(error, at: endpoint)
    }
    guard let line else { throw EtcdFailure(.cut("the stream has ended"), .unknown, at: endpoint) }
    let envelope = try Gateway.read(StreamEnvelope<WatchMessage>.self, line, at: endpoint)
    if let error = envelope.error { throw EtcdFailure(error, status: 200, at: endpoint) }
    guard let message = envelope.result else {
      throw EtcdFailure(.malformed("a line without a result"), .unknown, at: endpoint)
    }
    if message.isCancelled { throw failure(of: message) }
    return message
  }

  private func failure(of message: WatchMessage) -> EtcdFailure {
    if message.compactRevision > 0 {
      return EtcdFailure(.compacted(oldest: message.compactRevision), .none, at: endpoint)
    }
    let reason = message.cancelReason
    if reason.contains("permission denied") {
      return EtcdFailure(.permissionDenied(reason), .none, at: endpoint)
    }
    if reason.contains("auth token") { return EtcdFailure(.staleToken(reason), .none, at: endpoint) }
    if reason.contains("no leader") { return EtcdFailure(.noLeader, .none, at: endpoint) }
    return EtcdFailure(.watchCancelled(reason), .none, at: endpoint)
  }
}

/// A watch that etcd has made, before anybody reads it.
struct OpenedWatch: Sendable {
  let stream: WatchStream
  let lines: HTTPLines
  let revision: Int64
}
