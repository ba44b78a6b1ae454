// `provide`: a connection claims stores, and decides on their writes from then on.

/// What a provider claims, and its limits for decisions.
public struct ClaimOffer: Hashable, Sendable {
  /// The claim's name, of at most 236 bytes. Its state is the value of the store `statehub.providers.NAME`.
  public var name: StoreName
  /// The stores, existing or not: 1 to 16 patterns. If empty, those of the claim that the configuration declares under
  /// this name.
  public var patterns: [NamePattern]
  /// The longest time for a decision, in milliseconds: 1 to 600,000.
  public var timeout: UInt32
  /// How many writes and reads may be undecided at a time: 1 to 1,024.
  public var window: UInt16
  /// For people.
  public var description: String
  /// Whether to wait while another client has the claim, instead of failing.
  public var waits: Bool
  /// Whether to take over the claim from another connection of the same user.
  public var replaces: Bool
  /// Whether the provider supports times to live and ephemeral values.
  public var takesLifetimes: Bool
  /// Whether the provider is asked before a `get` of one of its stores is answered.
  public var answersReads: Bool

  /// Makes an offer without checking it; the hub checks it.
  public init(
    _ name: StoreName, _ patterns: [NamePattern], timeout: UInt32 = 5000, window: UInt16 = 1,
    description: String = "", waits: Bool = false, replaces: Bool = false, takesLifetimes: Bool = false,
    answersReads: Bool = false
  ) {
    (self.name, self.patterns, self.timeout, self.window) = (name, patterns, timeout, window)
    (self.description, self.waits) = (description, waits)
    (self.replaces, self.takesLifetimes) = (replaces, takesLifetimes)
    self.answersReads = answersReads
  }
}

package struct ProvideCommand: RequestCommand {
  let flags: UInt8
  let name: ByteView
  let timeout: UInt32
  let window: UInt16
  let description: String
  let patterns: [String]

  package static let effect = RequestEffect.immediate

  private enum Flag {
    static let waits: UInt8 = 1 << 0
    static let replaces: UInt8 = 1 << 1
    static let lifetimes: UInt8 = 1 << 2
    static let reads: UInt8 = 1 << 3
  }

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    flags = frame.flags
    name = reader.shortBytes()
    (timeout, window) = (reader.integer(), reader.integer())
    description = reader.mediumBytes().text
    guard let patterns = reader.patternTexts() else { return nil }
    self.patterns = patterns
  }

  package func offer() throws(HubError) -> ClaimOffer {
    ClaimOffer(
      try StoreName(name.text), try [NamePattern](checking: patterns), timeout: timeout, window: window,
      description: description,
      waits: flags & Flag.waits != 0, replaces: flags & Flag.replaces != 0,
      takesLifetimes: flags & Flag.lifetimes != 0, answersReads: flags & Flag.reads != 0)
  }

  package func request() throws(HubError) -> Request { .provide(try offer()) }

  package static func encode(_ offer: ClaimOffer, _ id: UInt32, into out: inout OutputBuffer) {
    let flags =
      (offer.waits ? Flag.waits : 0) | (offer.replaces ? Flag.replaces : 0)
      | (offer.takesLifetimes ? Flag.lifetimes : 0) | (offer.answersReads ? Flag.reads : 0)
    out.frame(RequestKind.provide.rawValue, flags: flags, request: id) { out in
      out.append(short: offer.name.text)
      out.append(offer.timeout)
      out.append(offer.window)
      out.append(medium: offer.description)
      out.append(offer.patterns)
    }
  }
}
