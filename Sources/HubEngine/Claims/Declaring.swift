// Claims declared in the configuration: they exist from the start, so that no write bypasses a provider that has not
// started yet.

package import HubCore

/// A claim as the configuration declares it.
package struct ProviderDeclaration: Hashable, Sendable {
  package var name: StoreName
  package var patterns: [NamePattern]
  /// Who may provide it, besides root and the hub's own user.
  package var users: [User]
  package var description: String

  package struct User: Hashable, Sendable {
    package var uid: UInt32
    /// The user in the configuration: a name or a number.
    package var name: String

    package init(uid: UInt32, name: String) { (self.uid, self.name) = (uid, name) }
  }

  package init(_ name: StoreName, _ patterns: [NamePattern], users: [User] = [], description: String = "") {
    (self.name, self.patterns, self.users, self.description) = (name, patterns, users, description)
  }

  /// - Throws: `invalidName`.
  package static func name(_ text: String) throws(HubError) -> StoreName {
    let name = try StoreName(text)
    let longest = StoreName.maximumLength - ClaimStatus.prefix.utf8.count
    if text.utf8.count <= longest { return name }
    throw HubError(.invalidName, store: text, "the name of a claim can have at most \(longest) bytes")
  }

  /// Two of them that have a name in common, if any do.
  package static func overlap(
    in declarations: [ProviderDeclaration]
  ) -> (ProviderDeclaration, ProviderDeclaration)? {
    for (index, one) in declarations.enumerated() {
      for other in declarations[..<index] {
        if one.patterns.contains(where: { pattern in other.patterns.contains { $0.meets(pattern) } }) {
          return (other, one)
        }
      }
    }
    return nil
  }
}

extension HubEngine {
  /// Applies the configuration's claims, between two turns. Claims that are no longer declared continue as if their
  /// providers had claimed them; vacant ones end. Claims at run time that overlap with a declared one end.
  package mutating func declare(providers: [ProviderDeclaration], now: Instant) {
    claims.declaredProviders = [:]
    for place in claims.all.indices { claims.all[place].isDeclared = false }
    for declaration in providers {
      claims.declaredProviders[declaration.name] = declaration.users.map(\.uid)
      // A released claim is gone, and its slot may belong to another one.
      while let (other, _) = claims.overlap(
        with: declaration.patterns, besides: claims.place(named: declaration.name), &work),
        !other.isDeclared, let place = claims.place(numbered: other.number)
      {
        release(place, now: now)
      }
      if let place = claims.place(named: declaration.name) {
        var claim = claims.all[place]
        claim.offer.patterns = declaration.patterns
        claim.offer.description = declaration.description
        claim.isDeclared = true
        claims.replace(claim, at: place)
      } else {
        let offer = ClaimOffer(declaration.name, declaration.patterns, description: declaration.description)
        var claim = Claim(claims.newNumber(), offer)
        claim.isDeclared = true
        _ = claims.add(claim)
      }
    }
    while let place = claims.all.firstIndex(where: { $0.session == nil && $0.owner == nil && !$0.isDeclared })
    {
      drop(claim: place, now: now)
    }
    for place in claims.all.indices { publish(claim: place, now: now) }
    attention.hasClaims = !claims.isEmpty || feed.patterns.followsUse
  }
}
