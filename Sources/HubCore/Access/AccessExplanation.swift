// What a user may do with a name, which rule decides that, and why: as a value, and in words. `AccessTable` decides.

/// What one user may do with one name, and why.
public struct AccessExplanation: Hashable, Sendable {
  /// The rule that decides.
  public struct Rule: Hashable, Sendable {
    /// Where it is written, for example `access[2]`.
    public var origin: String
    /// The pattern of the names that the rule applies to.
    public var pattern: String

    package init(origin: String, pattern: String) { (self.origin, self.pattern) = (origin, pattern) }
  }

  /// The limits of all clients of one of the hub's additional sockets.
  public struct Socket: Hashable, Sendable {
    /// The socket's key in the configuration.
    public var name: String
    /// All the rights that its clients can have, out of `AccessExplanation.rights`.
    public var rights: [String]
    /// Only names below it exist at the socket; empty: all names.
    public var prefix: String
    /// The user that clients of this socket are mapped to; empty: clients keep their own identity.
    public var user: String

    package init(name: String, rights: [String], prefix: String, user: String) {
      (self.name, self.rights, self.prefix, self.user) = (name, rights, prefix, user)
    }
  }

  /// The owner of the store.
  public enum Store: Hashable, Sendable {
    /// Not looked up, or not disclosed to the caller.
    case untold
    case missing
    /// The configuration declares it, or its creator is unknown.
    case ofHub
    case of(uid: UInt32)
  }

  /// Whether a right is granted.
  public enum Verdict: UInt8, Hashable, Sendable {
    /// Nothing grants the right.
    case no = 0
    case yes = 1
    /// Only for stores that the user has created.
    case ifOwn = 2
    /// The rules would grant it, but the socket excludes it.
    case notAtSocket = 3
  }

  /// One right, and whether it is granted.
  public struct Answer: Hashable, Sendable {
    /// One of `AccessExplanation.rights`.
    public var right: String
    /// Whether the user has the right.
    public var verdict: Verdict
    /// The part of the rule that grants the right, for example `group:audio`; empty: none.
    public var subject: String

    package init(right: String, verdict: Verdict, subject: String) {
      (self.right, self.verdict, self.subject) = (right, verdict, subject)
    }
  }

  /// Root or the hub's own user, who may do everything.
  public var isTrusted = false
  /// The rule; nil if it is not disclosed to the requester, or not needed.
  public var rule: Rule?
  /// The socket; nil for the hub's own socket.
  public var socket: Socket?
  /// The owner of the store, if the hub looked it up.
  public var store = Store.untold
  /// One for each right, in the order of `rights`; empty if `isTrusted`.
  public var answers: [Answer] = []

  /// The names of all rights.
  public static let rights = AccessRights.words.map(\.word)

  package init() {}
}

// MARK: - In words

extension AccessExplanation {
  /// One line about the rule, if known, one about the socket, if it is not the hub's own, and one about the store; then
  /// one for each right.
  ///
  /// - Parameter who: the user's name, or `you`.
  package func lines(about name: StoreName, _ who: String) -> [String] {
    if isTrusted { return ["\(who) may do everything, regardless of the rules"] }
    var lines: [String] = []
    if let rule { lines.append("\(rule.origin) applies to \(name): its pattern is \(rule.pattern)") }
    if let line = socket?.line { lines.append(line) }
    switch store {
    case .untold: break
    case .missing: lines.append("there is no store \(name)")
    case .ofHub: lines.append("the store belongs to the hub")
    case .of(let uid): lines.append("the store was created by user \(uid)")
    }
    return lines + answers.map { "  \(who) may \($0.right): \($0.text(at: socket))" }
  }
}

extension AccessExplanation.Socket {
  /// How clients of the socket are limited; nil if they are not.
  package var limits: String? {
    if rights.isEmpty { return "nothing is permitted" }
    let names = prefix.isEmpty ? nil : "below \(prefix)"
    if rights == AccessExplanation.rights { return names.map { "only names \($0) exist" } }
    let limit = "the rights are limited to \(rights.joined(separator: ", "))"
    return [limit, names].compactMap(\.self).joined(separator: " ")
  }

  /// How the socket differs from the hub's own; nil if it does not.
  fileprivate var line: String? {
    let parts = [limits, user.isEmpty ? nil : "clients act as \(user)"].compactMap(\.self)
    return parts.isEmpty ? nil : "at the socket \(name) \(parts.joined(separator: "; "))"
  }
}

extension AccessExplanation.Answer {
  fileprivate func text(at socket: AccessExplanation.Socket?) -> String {
    switch verdict {
    case .no: "no"
    case .yes: "yes, because of \(subject)"
    case .ifOwn: "only as its owner"
    case .notAtSocket: "no, because of the socket \(socket?.name ?? "")"
    }
  }
}
