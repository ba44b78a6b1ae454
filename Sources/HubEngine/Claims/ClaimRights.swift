// The only way from a request to a claim: which claims are visible to a session, and which it may take.

import HubCore

extension HubEngine {
  /// The slot of the claim that a request names, if it is visible to the session: it may read the claim's state, or the
  /// claim is its user's, or declared for that user. To all others a hidden claim looks like a missing one.
  func place(named name: StoreName, for session: SessionID) -> Int? {
    guard let place = claims.place(named: name) else { return nil }
    let audience = feed.sessions.audience(of: session)
    let claim = claims.all[place]
    if audience == Permissions.everything || claim.session == session || isOwner(session, of: claim) {
      return place
    }
    let isNamed = claims.declaredProviders[name]?.contains(feed.sessions.peer(of: session).uid) ?? false
    if isNamed, stores.permissions.limit(of: audience) == nil { return place }
    let state = stores.find(ClaimStatus.prefix + name.text)
    return state.map { stores.isVisible($0, to: audience) } ?? false ? place : nil
  }

  /// The same number at an additional socket may be another user.
  func isOwner(_ session: SessionID, of claim: Claim) -> Bool {
    let audience = feed.sessions.audience(of: session)
    var work = 0
    return claim.owner == feed.sessions.peer(of: session).uid
      && (stores.permissions.limit(of: audience) == nil
        || stores.permissions.mayProvide(claim.offer.patterns, audience, &work))
  }

  func mayAdminister(_ session: SessionID) -> Bool {
    PeerIdentity.isAdministrator(feed.sessions.peer(of: session).uid, of: options.uid)
      && feed.sessions.audience(of: session) == Permissions.everything
  }

  /// Whether a claim of that name can become the session's.
  func checkFree(_ place: Int, _ offer: ClaimOffer, for session: SessionID) throws(HubError) {
    let claim = claims.all[place]
    let seesAll = feed.sessions.audience(of: session) == Permissions.everything
    guard let provider = claim.session else {
      if mayAdminister(session) || claim.owner == nil || isOwner(session, of: claim) || claim.isDeclared {
        return
      }
      let owner = seesAll ? "user \(claim.owner ?? 0)" : "another user"
      throw HubError(
        .claimed, store: offer.name.text,
        "\(owner) has this claim and is not connected: only that user can provide or release it")
    }
    if provider == session {
      throw HubError(.conflict, store: offer.name.text, "this connection already has the claim")
    }
    if offer.replaces, mayAdminister(session) || isOwner(session, of: claim) { return }
    // As for `clients`: with rules, users see only their own connections.
    let isShown = seesAll || isOwner(session, of: claim)
    let peer = feed.sessions.peer(of: provider)
    let owner = isShown ? "\(peer.process) (\(feed.sessions.name(of: provider)))" : "another connection"
    throw HubError(.claimed, store: offer.name.text, "\(owner) already provides it")
  }
}

extension ClaimOffer {
  /// What can be checked of an offer without the other claims.
  ///
  /// - Parameter declared: the claim of that name, if there is one visible to the session.
  func checked(declared: Claim?) throws(HubError) -> ClaimOffer {
    var offer = self
    _ = try ProviderDeclaration.name(offer.name.text)
    guard (1...600_000).contains(offer.timeout), (1...1024).contains(offer.window) else {
      throw HubError(
        .outOfRange, store: offer.name.text,
        "the time limit of a decision must be 1 to 600000 ms, and the limit of undecided writes 1 to 1024")
    }
    if let declared, declared.isDeclared {
      if !offer.patterns.isEmpty, Set(offer.patterns) != Set(declared.offer.patterns) {
        throw HubError(
          .declared, store: offer.name.text,
          "the configuration defines the stores of this claim: \(declared.offer.patternText)")
      }
      offer.patterns = declared.offer.patterns
      if offer.description.isEmpty { offer.description = declared.offer.description }
    }
    if let problem = ClaimOffer.problem(in: offer.patterns) {
      throw HubError(problem.code, store: offer.name.text, problem.message)
    }
    return offer
  }
}

extension Permissions {
  /// Users who may claim: root and the hub's own user; those that the declaration names; and those with the right
  /// `provide` on all names that the patterns can match.
  ///
  /// - Parameters:
  ///   - declared: the users that the declaration names.
  ///   - work: raised by what it has cost.
  func checkRight(
    to offer: ClaimOffer, by uid: UInt32, _ audience: AudienceIndex, declared: [UInt32], _ work: inout Int
  ) throws(HubError) {
    let isNamed = declared.contains(uid) && uid != PeerIdentity.nobody
    if limit(of: audience) == nil, isNamed { return }
    if audience == Permissions.everything, PeerIdentity.isAdministrator(uid, of: user) { return }
    if mayProvide(offer.patterns, audience, &work) { return }
    throw Permissions.refusal(of: offer)
  }

  static func refusal(of offer: ClaimOffer) -> HubError {
    HubError(
      .denied, store: offer.name.text,
      "you may not provide \(offer.patternText): the configuration's providers or access rules must allow it"
    )
  }
}
