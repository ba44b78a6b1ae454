// The claims of a connection that provides stores: made on every new connection, before anything else is requested
// there, and live only while the program takes their writes.

internal import HubCore
internal import HubTransport

/// A claim of this Hub, and the stream that receives its events.
struct OwnClaim {
  let offer: ClaimOffer
  let stream: ClaimStream
  /// The request for it on this connection; nil while it waits for another claim with that name to end.
  var request: UInt32?
  /// Its number on this connection; nil if the connection does not have it.
  var number: UInt32?
  /// The iteration that takes its writes; nil if there is none and the claim is suspended.
  var iteration: UInt64?
  /// The program dropped it before the hub replied.
  var isDropped = false
}

extension ClientCore {
  // MARK: The program's side

  /// Starts an iteration over the writes of a claim, which is made if it does not exist yet.
  ///
  /// - Returns: a number that identifies the iteration.
  mutating func provide(_ offer: ClaimOffer, _ stream: ClaimStream, _ effects: inout Effects) -> UInt64 {
    lastIteration += 1
    if let failure {
      effects.wake(stream.fail(failure))
      return lastIteration
    }
    if let index = ownClaims.firstIndex(where: { $0.stream === stream }) {
      ownClaims[index].iteration = lastIteration
      if ownClaims[index].number != nil { effects.wake(stream.claimed()) }
      return lastIteration
    }
    stream.begin()
    if !offer.waits, ownClaims.contains(where: { $0.offer.name == offer.name && !$0.isDropped }) {
      effects.wake(
        stream.fail(HubError(.claimed, store: offer.name.text, "this Hub already has a claim with that name"))
      )
      return lastIteration
    }
    ownClaims.append(OwnClaim(offer: offer, stream: stream, iteration: lastIteration))
    if link.isConnected { ask(for: offer.name, &effects) }
    return lastIteration
  }

  /// Handles the end of the iteration: the hub refuses writes until the next one starts.
  mutating func stopTaking(_ stream: ClaimStream, _ iteration: UInt64, _ effects: inout Effects) {
    guard let index = ownClaims.firstIndex(where: { $0.stream === stream && $0.iteration == iteration })
    else { return }
    ownClaims[index].iteration = nil
    suspend(ownClaims[index], &effects)
    for forwarded in stream.leave() { giveBack(forwarded, wasTaken: false, &effects) }
  }

  /// Gives back a write or a read that the program no longer decides on.
  ///
  /// - Parameter wasTaken: the program had it, and may have acted.
  mutating func giveBack(_ forwarded: Forwarded, wasTaken: Bool, _ effects: inout Effects) {
    // If the claim is gone, so is the connection: the hub has notified the waiting clients.
    guard let claim = ownClaims.first(where: { $0.number == forwarded.claim }) else { return }
    let decision: Decision =
      if forwarded.isEnd, claim.iteration == nil {
        .again
      } else if wasTaken {
        .refuse(.unanswered, "its provider stopped before deciding: it may have acted")
      } else {
        .refuse(.unavailable, "its provider stopped before it was asked: try again later")
      }
    launch(.decide(forwarded.ticket, decision), call: nil, deadline: .never, &effects)
  }

  /// Drops a claim that the program no longer needs: its stores stay vacant.
  mutating func drop(_ stream: ClaimStream, _ effects: inout Effects) {
    guard let index = ownClaims.firstIndex(where: { $0.stream === stream }) else { return }
    if ownClaims[index].number != nil {
      vacate(ownClaims[index], &effects)
    } else if ownClaims[index].request != nil {
      ownClaims[index].isDropped = true
      return
    }
    remove(at: index, &effects)
  }

  /// Whether this connection has the claim that the request concerns.
  func hasClaim(for request: Request) -> Bool {
    ownClaims.contains { claim in
      if claim.number == nil { return false }
      return if case .standing(let name, _) = request { claim.offer.name == name } else { true }
    }
  }

  // MARK: The connection

  /// Makes all claims on a new connection.
  mutating func claimAll(_ effects: inout Effects) {
    for claim in ownClaims { ask(for: claim.offer.name, &effects) }
  }

  /// Marks the claims as vacant after the loss of the connection.
  mutating func loseClaims() {
    ownClaims.removeAll(where: \.isDropped)
    for index in ownClaims.indices {
      (ownClaims[index].request, ownClaims[index].number) = (nil, nil)
      ownClaims[index].stream.lost()
    }
  }

  mutating func endClaims(_ error: HubError, _ effects: inout Effects) {
    let ended = ownClaims
    ownClaims = []
    for claim in ended { effects.wake(claim.stream.fail(error)) }
  }

  /// Requests the first claim with that name. The others wait until it ends.
  ///
  /// The reply may come much later, when another program releases the claim: it is not among the pending requests,
  /// which are ordered by number.
  private mutating func ask(for name: StoreName, _ effects: inout Effects) {
    guard let index = ownClaims.firstIndex(where: { $0.offer.name == name }), ownClaims[index].request == nil
    else { return }
    let (id, start) = (nextID(), output.count)
    Request.provide(ownClaims[index].offer).encode(into: &output, id: id)
    let (length, limit) = (output.count - start, maximumFrameLength)
    if length <= limit {
      ownClaims[index].request = id
      return
    }
    output.truncate(to: start)
    endClaim(at: index, .tooLong(length, limit, store: name.text), &effects)
  }

  private mutating func suspend(_ claim: OwnClaim, _ effects: inout Effects) {
    if claim.number == nil { return }
    launch(
      .standing(claim.offer.name, .suspended("its program does not accept writes at the moment")), call: nil,
      deadline: .never, &effects)
  }

  private mutating func vacate(_ claim: OwnClaim, _ effects: inout Effects) {
    launch(.standing(claim.offer.name, .vacant), call: nil, deadline: .never, &effects)
  }

  private mutating func remove(at index: Int, _ effects: inout Effects) {
    let name = ownClaims.remove(at: index).offer.name
    if link.isConnected { ask(for: name, &effects) }
  }

  // MARK: The hub's side

  /// Handles the answer to the request for a claim.
  mutating func claimed(at index: Int, _ reply: Reply, _ effects: inout Effects) {
    switch reply {
    case .providing(let number, _):
      ownClaims[index].number = number
      if ownClaims[index].isDropped {
        vacate(ownClaims[index], &effects)
        remove(at: index, &effects)
      } else if ownClaims[index].iteration == nil {
        suspend(ownClaims[index], &effects)
      } else {
        effects.wake(ownClaims[index].stream.claimed())
      }
    case .error(let error): endClaim(at: index, error, &effects)
    default: endClaim(at: index, SentRequest.unexpected, &effects)
    }
  }

  private mutating func endClaim(at index: Int, _ error: HubError, _ effects: inout Effects) {
    effects.wake(ownClaims[index].stream.fail(error))
    remove(at: index, &effects)
  }

  /// An event for a provider.
  mutating func receive(forProvider event: HubEvent, _ effects: inout Effects) {
    switch event {
    case .forward(let write): receive(.write(write), &effects)
    case .ask(let read): receive(.read(read), &effects)
    case .withdraw(let ticket, let number, let reason):
      guard let index = ownClaims.firstIndex(where: { $0.number == number }) else { return }
      if ticket > 0 {
        effects.wake(ownClaims[index].stream.withdraw(ticket, isOver: reason == .timeIsOver))
        return
      }
      let name = ownClaims[index].offer.name.text
      endClaim(
        at: index,
        HubError(.claimed, store: name, "another connection has the claim now, or it was released"), &effects)
    case .change, .created, .removed, .current, .synced, .resumed, .forget, .ended: break
    }
  }

  private mutating func receive(_ forwarded: Forwarded, _ effects: inout Effects) {
    guard let claim = ownClaims.first(where: { $0.number == forwarded.claim }) else { return }
    if claim.iteration == nil {
      giveBack(forwarded, wasTaken: false, &effects)
    } else {
      effects.wake(claim.stream.forward(forwarded))
    }
  }
}
