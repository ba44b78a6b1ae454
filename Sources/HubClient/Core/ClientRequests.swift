// Requests: sending, answering, retrying, giving up. Watches are in `ClientWatches`.

internal import HubCore
internal import HubTransport

extension ClientCore {
  /// Sends a request, now or as soon as there is a connection.
  ///
  /// - Returns: its number, for `cancel`.
  mutating func begin(
    _ request: Request, _ call: Call, deadline: Deadline, _ effects: inout Effects
  ) -> UInt32 {
    if let failure {
      effects.finish(call, .failure(failure))
      return 0
    }
    if unsent.count > ClientCore.maximumUnsentBytes {
      let reason = "\(unsent.count) bytes of requests are waiting to be sent: wait for replies"
      effects.finish(call, .failure(HubError(.quota, reason)))
      return 0
    }
    // On another connection it would apply to another claim.
    if request.isAboutClaim, !hasClaim(for: request) {
      effects.finish(
        call, .failure(HubError(.connectionLost, "the connection does not have the claim at the moment")))
      return 0
    }
    return launch(request, call: call, deadline: deadline, &effects)
  }

  @discardableResult
  mutating func launch(
    _ request: Request, call: Call?, deadline: Deadline, _ effects: inout Effects
  ) -> UInt32 {
    let id = nextID()
    var flight = Flight(request: request, call: call, deadline: deadline)
    if isSending, !write(&flight, id, &effects) { return id }
    flights.append(flight, id)
    earliest = min(earliest, deadline)
    return id
  }

  /// Writes a flight's frame to the output. A frame that is too long would end the connection, so it fails instead.
  ///
  /// - Returns: whether it was written.
  mutating func write(_ flight: inout Flight, _ id: UInt32, _ effects: inout Effects) -> Bool {
    let start = output.count
    flight.start = outputEnd
    flight.request.encode(into: &output, id: id)
    let length = output.count - start
    let limit = maximumFrameLength
    if length <= limit { return true }
    output.truncate(to: start)
    guard let call = flight.call else { return false }
    effects.finish(call, .failure(.tooLong(length, limit, store: flight.request.operations.first?.name)))
    return false
  }

  /// The caller no longer waits.
  mutating func cancel(_ id: UInt32, _ call: Call, _ effects: inout Effects) {
    guard let flight = flights[id], flight.call === call else {
      held.release(call, &effects)
      return
    }
    flights[id] = nil
    let mayRun = flight.mayHaveRun || flight.start != nil
    let error =
      mayRun && !flight.request.isRead
      ? HubError(
        .outcomeUnknown, store: flight.request.operations.first?.name,
        "the task was cancelled before the reply: the outcome of the write is unknown")
      : HubError(.closed, "the task was cancelled")
    effects.finish(call, .failure(error))
  }

  /// Fails the flights that have timed out.
  mutating func expire(_ now: Deadline, _ effects: inout Effects) {
    guard earliest <= now else { return }
    earliest = .never
    for id in flights.ids {
      guard let flight = flights[id] else { continue }
      if flight.deadline > now {
        earliest = min(earliest, flight.deadline)
        continue
      }
      flights[id] = nil
      guard let call = flight.call else { continue }
      var error = timeoutError
      if !flight.request.isRead, flight.mayHaveRun || flight.start != nil {
        error.message += ": the outcome of the write is unknown"
      }
      error.store = flight.request.operations.first?.name
      effects.finish(call, .failure(error))
    }
  }

  /// Handles the loss of the connection: unsent and repeatable requests wait for the next one.
  ///
  /// - Parameter areUntouched: whether the hub has executed none of them.
  mutating func loseFlights(areUntouched: Bool, _ effects: inout Effects) {
    for id in flights.ids {
      guard var flight = flights[id], let start = flight.start else { continue }
      if flight.request.isAboutClaim, let call = flight.call {
        flights[id] = nil
        effects.finish(
          call, .failure(HubError(.connectionLost, "the connection that has the claim was lost")))
      } else if flight.call == nil {
        // The next connection sets the remaining values.
        flights[id] = nil
      } else if areUntouched || start >= sent {
        flight.start = nil
        flights[id] = flight
      } else if flight.request.isRepeatable {
        flight.start = nil
        flight.mayHaveRun = true
        flights[id] = flight
      } else {
        flights[id] = nil
        if let call = flight.call { effects.finish(call, .failure(.outcomeUnknown(flight.request))) }
      }
    }
  }

  /// Handles the answer to a request.
  mutating func land(_ flight: Flight, _ id: UInt32, _ reply: consuming Reply, _ effects: inout Effects) {
    guard let epoch else { return }
    var draft = HeldWrites.Draft()
    switch reply {
    case .error(let error): return fail(flight, error, &effects)
    case .written(let result):
      if case .write(let operation) = flight.request {
        if flight.call == nil { return ephemerals.wasSetAgain(operation, result, epoch) }
        note(operation, result, epoch, &draft)
      }
    case .committed(_, let results):
      for (operation, result) in zip(flight.request.operations, results) {
        note(operation, result, epoch, &draft)
      }
    default: break
    }
    guard let call = flight.call else { return }
    let answer = Answer(reply: reply, epoch: epoch)
    if draft.isEmpty {
      effects.finish(call, .success(answer))
    } else {
      held.hold(call, answer, until: flight.deadline, draft)
    }
  }

  private mutating func fail(_ flight: Flight, _ error: HubError, _ effects: inout Effects) {
    guard let call = flight.call else {
      flight.request.operations.forEach { ephemerals.forget($0) }
      return
    }
    // Its own first attempt may have caused the conflict.
    let isOwn = error.code == .conflict && flight.mayHaveRun
    effects.finish(call, .failure(isOwn ? .outcomeUnknown(flight.request) : error))
  }

  /// A write succeeded: records ephemeral values, and holds the reply until the watches have shown it.
  private mutating func note(
    _ operation: WriteOperation, _ result: WriteResult, _ epoch: Epoch, _ draft: inout HeldWrites.Draft
  ) {
    ephemerals.note(operation, result, epoch)
    if subscriptions.isEmpty { return }
    guard let name = operation.name else { return }
    for subscription in subscriptions(to: name) where lags(subscription, behind: result) {
      draft.await(subscription, result.id, result.revision)
    }
  }

  /// Whether the watch has yet to show the write. A watch that has shown nothing yet starts after it.
  private func lags(_ subscription: Subscription, behind result: WriteResult) -> Bool {
    let view = subscription.view
    guard subscription.isOpen || view.isSynced || view.count > 0 else { return false }
    if subscription.isOpen, view.isSynced, synced >= result.revision { return false }
    return view.state(of: result.id).map { $0.revision < result.revision } ?? true
  }

  // MARK: Numbers

  /// A request number that is not in use on this connection.
  mutating func nextID() -> UInt32 {
    repeat {
      lastID &+= 1
      if lastID == 0 { hasWrapped = true }
    } while lastID == 0 || hasWrapped && isInUse(lastID)
    return lastID
  }

  /// The number of `hello` is never reused: an error that answers it ends the connection.
  private func isInUse(_ id: UInt32) -> Bool {
    id == helloID || flights[id] != nil || watches[id] != nil || inquiries[id] != nil
      || ownClaims.contains { $0.request == id }
  }
}
