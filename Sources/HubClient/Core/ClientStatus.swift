// Whether the hub is reachable: the streams of the status, and the time-outs of streams that wait for the hub.

internal import HubCore
internal import HubTransport

extension ClientCore {
  /// The error of a request or a stream that timed out: why the hub cannot be reached, until it has answered `hello`
  /// again.
  var timeoutError: HubError { status.error ?? HubError(.timeout, "the hub did not answer in time") }

  /// The only way to change the status.
  mutating func become(_ next: HubStatus, _ effects: inout Effects) {
    if status == next { return }
    status = next
    for observer in observers { effects.wake(observer.push(next)) }
    tellFreshness(&effects)
  }

  /// Records that the connection is missing. Any number of failed attempts is one outage.
  mutating func miss(_ error: HubError, _ now: Deadline, _ effects: inout Effects) {
    become(.unreachable(since: status.awaySince ?? now, error), &effects)
  }

  // MARK: Streams of the status

  /// Registers a stream and gives it the status, in one step.
  mutating func open(_ stream: StatusStream, _ effects: inout Effects) {
    observers.append(stream)
    effects.wake(stream.push(status))
  }

  /// Ends a stream at once.
  mutating func close(_ stream: StatusStream, _ effects: inout Effects) {
    observers.removeAll { $0 === stream }
    effects.wake(stream.close())
  }

  // MARK: Streams with a time-out

  /// Ends a stream once the hub has been away for the given time.
  mutating func limit(_ stream: EventStream, to timeout: Duration, now: Deadline) {
    let isAnswered = subscriptions[stream.key]?.isOpen ?? false
    streamTimeouts.add(stream, timeout, from: now, isAnswered: isAnswered)
  }

  /// Ends the streams that have waited long enough.
  mutating func expireStreams(_ now: Deadline, _ effects: inout Effects) {
    for (stream, timeout) in streamTimeouts.expire(now) {
      var error = timeoutError
      error.store = stream.key.name
      error.message = "the hub did not answer within the stream's time-out, \(timeout): \(error.message)"
      end(stream, error, &effects)
    }
  }
}
