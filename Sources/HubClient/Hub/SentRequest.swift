// A pending request from its caller's side: waiting for the reply, and giving up.

internal import HubCore
internal import HubTransport

@usableFromInline
struct SentRequest: Sendable {
  private let driver: any HubDriver
  private let call = Call()
  private let id: UInt32
  private let end: RequestObserver.End?

  init(
    _ request: Request, _ driver: any HubDriver, until deadline: Deadline, _ observer: RequestObserver?
  ) {
    end = observer?.began(ObservedRequest(request))
    id = driver.withCore { [call] core, effects in core.begin(request, call, deadline: deadline, &effects) }
    self.driver = driver
  }

  /// Returns once there is a reply, or soon after the task was cancelled.
  ///
  /// Inlined into its caller, because every call of an asynchronous function, and every return from one, costs as much
  /// as all of the core's work for a request.
  @inlinable @inline(__always)
  func wait() async {
    while !isAnswered {
      await withTaskCancellationHandler {
        await withUnsafeContinuation { park($0) }
      } onCancel: {
        cancel()
      }
    }
  }

  @usableFromInline
  var isAnswered: Bool { call.isFinished }

  @usableFromInline
  func park(_ waiter: EventStream.Waiter) { call.park(waiter) }

  @usableFromInline
  func cancel() { driver.withCore { [call, id] core, effects in core.cancel(id, call, &effects) } }

  // MARK: The answer

  /// Once, after `wait` has returned.
  func answer() throws(HubError) -> Answer {
    guard let result = call.take() else { preconditionFailure("a reply was taken before it arrived") }
    if let end {
      if case .failure(let error) = result { end(error) } else { end(nil) }
    }
    return try result.get()
  }

  /// The answer to `get`.
  func state() throws(HubError) -> (state: StoreState, epoch: Epoch) {
    let answer = try answer()
    guard case .value(let state) = answer.reply else { throw SentRequest.unexpected }
    return (state, answer.epoch)
  }

  /// The value in it.
  @usableFromInline
  func value() throws(HubError) -> HubValue { try state().state.value }

  /// The answer to a write.
  @usableFromInline
  func written() throws(HubError) -> WriteResult {
    guard case .written(let result) = try answer().reply else { throw SentRequest.unexpected }
    return result
  }

  /// The reply does not match the request.
  static var unexpected: HubError {
    HubError(.protocolViolation, "the hub's reply does not match the request")
  }
}
