// The claim of a connection that provides stores: made with every connection, before anything else is asked there.

internal import HubCore
internal import HubTransport

/// What a connection claims, and to whom it tells what follows.
struct ProviderCore {
  let offer: ClaimOffer
  let stream: ClaimStream
  /// This connection has the claim.
  var isClaimed = false
}

extension ClientCore {
  mutating func provide(_ provider: ProviderCore, _ effects: inout Effects) {
    guard !isClosed else {
      effects.wake(provider.stream.fail(HubError(.closed, "this Hub was closed")))
      return
    }
    self.provider = provider
    if link.isConnected { claim(&effects) }
  }

  /// There is a connection.
  mutating func claim(_ effects: inout Effects) {
    guard let provider else { return }
    launch(.provide(provider.offer), call: nil, deadline: .never, &effects)
  }

  /// The hub has answered.
  mutating func claimed(_ reply: Reply, _ effects: inout Effects) {
    guard let provider else { return }
    switch reply {
    case .error(let error): endClaim(error, &effects)
    default:
      self.provider?.isClaimed = true
      effects.wake(provider.stream.claimed())
    }
  }

  /// The connection is gone, and the claim is vacant.
  mutating func loseClaim() {
    provider?.isClaimed = false
    provider?.stream.lost()
  }

  mutating func endClaim(_ error: HubError, _ effects: inout Effects) {
    guard let provider else { return }
    self.provider = nil
    effects.wake(provider.stream.fail(error))
  }

  /// An event for the provider.
  mutating func receive(forProvider event: HubEvent, _ effects: inout Effects) {
    guard let provider else { return }
    switch event {
    case .forward(let write): effects.wake(provider.stream.forward(write))
    case .withdraw(0, _, _):
      endClaim(
        HubError(
          .claimed, store: provider.offer.name.text,
          "another connection has the claim now, or it was released"), &effects)
    case .withdraw(let ticket, _, let reason):
      effects.wake(provider.stream.withdraw(ticket, isOver: reason == .timeIsOver))
    case .change, .created, .removed, .current, .synced, .resumed, .forget, .ended: break
    }
  }
}
