// The state of a provider, read from the value of its claim's store.

/// Whether the values of provided stores can be trusted now.
public struct ClaimStatus: Hashable, Sendable {
  /// Later versions may add members and states; unknown states count as `suspended`.
  public enum State: String, Hashable, Sendable {
    /// The stores have no provider.
    case vacant
    /// The provider is connected, but not ready.
    case syncing
    /// The values are current.
    case live
    /// The provider's source is unreachable, or it does not answer.
    case suspended
  }

  /// The claim's name.
  public var name: String
  /// The provider's state.
  public var state: State
  /// Why it is not live, as human-readable text; empty if it is.
  public var reason: String
  /// When the values may have become out of date, in nanoseconds since 1970; nil if they are current or never were.
  public var staleSince: Int64?
  /// The stores that the claim covers.
  public var stores: [NamePattern]
  /// The provider's own description of the claim.
  public var description: String
  /// Whether any client watches a store of the claim.
  public var isWatched: Bool
  /// The shortest interval between values that its watchers ask for, in whole milliseconds; nil if one of them asks for every change, or
  /// if there are none.
  public var interval: Duration?

  /// Matches the stores that hold the states of claims.
  public static let pattern = NamePattern.providers
  /// The prefix of their names.
  package static let prefix = "statehub.providers."

  /// Makes it from a store that matches `pattern`, and its value; nil if that is not a claim's state.
  public init?(_ store: String, _ value: Value) {
    guard store.hasPrefix(ClaimStatus.prefix), case .json(let text) = value,
      let json = try? JSON.parse(Array(text.utf8).span), case .string(let state)? = json["state"]?.content
    else { return nil }
    name = String(store.dropFirst(ClaimStatus.prefix.count))
    self.state = State(rawValue: state) ?? .suspended
    reason = json.text("reason")
    description = json.text("description")
    isWatched = json["watched"]?.content == .boolean(true)
    interval = json.integer("interval").map { .milliseconds($0) }
    stores = []
    if case .array(let patterns)? = json["stores"]?.content {
      for case .string(let text) in patterns.map(\.content) {
        if let pattern = try? NamePattern(text) { stores.append(pattern) }
      }
    }
    staleSince = json.integer("staleSince").map { $0 &* 1_000_000 }
  }

  /// Whether the claim covers the store.
  public func concerns(_ name: StoreName) -> Bool { stores.contains { $0.matches(name) } }
}

extension JSONValue {
  fileprivate func text(_ key: String) -> String {
    if case .string(let text)? = self[key]?.content { text } else { "" }
  }

  fileprivate func integer(_ key: String) -> Int64? {
    if case .number(let number)? = self[key]?.content { number.integer } else { nil }
  }
}

extension ClaimOffer {
  /// A claim's default name: the literal beginning of the pattern, or `all` if it has none.
  public static func name(for pattern: NamePattern) -> StoreName {
    let literals = pattern.text.split(separator: ".").prefix { !$0.contains("*") }
    return (try? StoreName(literals.joined(separator: "."))) ?? StoreName.all
  }
}
