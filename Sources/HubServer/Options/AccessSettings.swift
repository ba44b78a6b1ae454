// Owns how a configuration writes access rules: their keys, the users and programs they name, and which of them can never
// decide.

import HubCore
import HubEngine
import HubSystem

extension ConfigurationReader {
  private static let matchKey = "match"
  private static let keys = [matchKey] + AccessRights.words.map(\.word)

  /// The rules without errors.
  mutating func accessRules(_ list: ConfigurationNode) -> [AccessRule] {
    var rules: [AccessRule] = []
    var origins: [String: String] = [:]
    for node in elements(of: list) {
      let before = problems.count
      var pattern: NamePattern?
      var grants: [AccessGrant] = []
      for (word, member) in members(of: node, as: ConfigurationReader.keys) {
        if word == ConfigurationReader.matchKey {
          pattern = self.pattern(member)
        } else if let right = AccessRights(word: word) {
          for subject in subjects(member) { grants.give(right, to: subject) }
        }
      }
      if pattern == nil, problems.count == before {
        reject(node, "match is missing: a name, or a pattern such as audio.**")
      }
      guard problems.count == before, let pattern else { continue }
      let origin = node.path ?? "access"
      if let other = origins.updateValue(origin, forKey: pattern.canonicalText) {
        reject(node, "\(pattern) matches the same names as \(other): combine the two rules")
      } else {
        rules.append(AccessRule(pattern, grants, origin: origin))
        rulePositions[origin] = node.position
      }
    }
    return rules
  }

  /// The readers and writers of a declared store.
  mutating func storeAccess(
    _ store: ConfigurationNode
  ) -> (readers: [AccessSubject]?, writers: [AccessSubject]?) {
    var access: (readers: [AccessSubject]?, writers: [AccessSubject]?) = (nil, nil)
    guard case .object(let members) = store.value.content else { return access }
    for member in members {
      switch StoreKey(word: member.key) {
      case .readers: access.readers = subjects(store.member(member))
      case .writers: access.writers = subjects(store.member(member))
      case .type, .field, nil: break
      }
    }
    return access
  }

  mutating func pattern(_ node: ConfigurationNode) -> NamePattern? {
    guard let text = string(node) else { return nil }
    do throws(HubError) {
      return try NamePattern(text)
    } catch {
      reject(node, error.message)
      return nil
    }
  }

  // MARK: Subjects

  /// One subject, or a list of them.
  mutating func subjects(_ node: ConfigurationNode) -> [AccessSubject] {
    oneOrMore(node) { $0.subject($1) }
  }

  /// A string, or an array of strings.
  mutating func oneOrMore<Element>(
    _ node: ConfigurationNode, _ read: (inout Self, ConfigurationNode) -> Element?
  ) -> [Element] {
    if case .string = node.value.content { return read(&self, node).map { [$0] } ?? [] }
    guard case .array = node.value.content else {
      reject(node, expected: "a string or an array of strings")
      return []
    }
    return elements(of: node).compactMap { read(&self, $0) }
  }

  mutating func subject(_ node: ConfigurationNode) -> AccessSubject? {
    guard let text = string(node) else { return nil }
    if let word = AccessSubject.words.first(where: { $0.word == text }) { return word.subject }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2, let kind = ProgramKind(rawValue: parts[0]) {
      return program(kind, parts[1], node).map { .program($0) }
    }
    guard parts.count == 2, !parts[1].isEmpty, ["user", "group"].contains(parts[0]) else {
      let words = AccessSubject.words.map(\.word).joined(separator: ", ")
      reject(
        node,
        "\(JSONWriter.quoted(text)) is not a user, group or program; allowed: \(words), user:NAME, group:NAME, "
          + "unit:NAME, user-unit:NAME, app:ID"
      )
      return nil
    }
    let isUser = parts[0] == "user"
    guard let number = account(parts[1], isUser: isUser, node) else { return nil }
    return isUser ? .user(number, name: parts[1]) : .group(number, name: parts[1])
  }

  /// `NAME`, or `USER/NAME` for a program of a user's own.
  private mutating func program(_ kind: ProgramKind, _ text: String, _ node: ConfigurationNode)
    -> AccessProgram?
  {
    var name = text
    var user: AccessProgram.User?
    if kind != .unit, let slash = text.firstIndex(of: "/") {
      let account = String(text[..<slash])
      guard let uid = self.account(account, isUser: true, node) else { return nil }
      user = .init(uid: uid, name: account)
      name = String(text[text.index(after: slash)...])
    }
    if let problem = kind.problem(in: name) {
      reject(node, problem)
      return nil
    }
    if !Socket.identifiesProcesses {
      note(node, "this kernel cannot identify clients' units, so this has no effect: it needs Linux 6.5")
    }
    return AccessProgram(kind, name, of: user)
  }

  /// The number of a user or group that a rule can name.
  private mutating func account(_ name: String, isUser: Bool, _ node: ConfigurationNode) -> UInt32? {
    guard let number = number(of: name, isUser: isUser, node) else { return nil }
    if number == PeerIdentity.nobody {
      reject(node, "\(number) is the kernel's number for unknown users and groups: no rule can name it")
      return nil
    }
    return number
  }

  mutating func number(of name: String, isUser: Bool, _ node: ConfigurationNode) -> UInt32? {
    if name.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
      // The highest number means "no change" to the kernel.
      if let number = UInt32(name), number < .max { return number }
      reject(node, "\(name) is not a valid \(isUser ? "user" : "group") number")
      return nil
    }
    do throws(SystemError) {
      if let number = isUser ? try accounts.user(name) : try accounts.group(name) { return number }
      // An account that was removed must not keep the hub from starting. A rule that names it applies to no one.
      note(
        node,
        "this machine has no \(isUser ? "user" : "group") \(JSONWriter.quoted(name)), so this has no effect"
      )
    } catch {
      reject(
        node, "\(isUser ? "user" : "group") \(JSONWriter.quoted(name)) cannot be looked up: \(error)")
    }
    return nil
  }

  // MARK: The whole

  /// Finds what contradicts itself among the rules and the declarations, and notes rules that can never decide.
  mutating func judgeAccess(_ options: inout ServerOptions) {
    let rules = Dictionary(options.access.rules.map { ($0.pattern.canonicalText, $0) }) { first, _ in first }
    for declaration in options.declarations where declaration.readers != nil || declaration.writers != nil {
      if let same = rules[declaration.name.text] {
        reject(same, "the store is declared with its own readers or writers: put the rule in one place")
      }
    }
    options.notes += notes.map(\.description)
    guard problems.isEmpty, !options.access.rules.isEmpty else { return }
    var work = 0
    for (rule, other) in AccessTable(options.access, user: 0, group: 0).unreachable(&work) {
      let reason =
        other.map { "\($0.origin) is for \($0.pattern), which is more specific and matches all of its names" }
        ?? "the names under statehub. are reserved for the hub"
      options.notes.append(problem(with: rule, "\(rule.pattern) can never match: \(reason)").description)
    }
  }
}

extension [AccessGrant] {
  /// Adds a right to the grant of a subject, which is named once.
  mutating func give(_ right: AccessRights, to subject: AccessSubject) {
    if let index = firstIndex(where: { $0.subject == subject }) {
      self[index].rights.formUnion(right)
    } else {
      append(AccessGrant(subject, right))
    }
  }
}

/// A list of access rules.
struct AccessRulesForm: SettingForm {
  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> [AccessRule]? {
    reader.accessRules(node)
  }

  func write(_ rules: [AccessRule], to out: inout OutputBuffer) {
    out.append(UInt32(rules.count))
    for rule in rules {
      out.append(short: rule.pattern.text)
      out.append(medium: rule.origin)
      out.append(UInt32(rule.grants.count))
      for grant in rule.grants {
        out.append(grant.rights.rawValue)
        out.append(grant.subject)
      }
    }
  }

  func restore(from reader: inout ByteReader) -> [AccessRule]? {
    var rules: [AccessRule] = []
    for _ in 0..<reader.integer(UInt32.self) {
      guard let pattern = try? NamePattern(reader.shortBytes().text) else { return nil }
      var rule = AccessRule(pattern, [], origin: reader.mediumBytes().text)
      for _ in 0..<reader.integer(UInt32.self) {
        let rights = AccessRights(rawValue: reader.integer())
        guard let subject = reader.accessSubject() else { return nil }
        rule.grants.append(AccessGrant(subject, rights))
      }
      rules.append(rule)
    }
    return reader.failed ? nil : rules
  }
}

extension OutputBuffer {
  mutating func append(_ subject: AccessSubject) {
    let (kind, number, name): (UInt8, UInt32, String) =
      switch subject {
      case .anyone: (0, 0, "")
      case .owner: (1, 0, "")
      case .hub: (2, 0, "")
      case .members: (3, 0, "")
      case .user(let uid, let name): (4, uid, name)
      case .group(let gid, let name): (5, gid, name)
      case .program(let program): (6, program.user?.uid ?? .max, program.user?.name ?? "")
      }
    append(kind)
    append(number)
    append(medium: name)
    if case .program(let program) = subject {
      append(short: program.kind.rawValue)
      append(short: program.name)
    }
  }
}

extension ByteReader {
  mutating func accessSubject() -> AccessSubject? {
    let (kind, number) = (integer(UInt8.self), integer(UInt32.self))
    let name = mediumBytes().text
    if failed { return nil }
    switch kind {
    case 0: return .anyone
    case 1: return .owner
    case 2: return .hub
    case 3: return .members
    case 4: return .user(number, name: name)
    case 5: return .group(number, name: name)
    case 6:
      guard let kind = ProgramKind(rawValue: shortBytes().text) else { return nil }
      let user = number == .max ? nil : AccessProgram.User(uid: number, name: name)
      return .program(AccessProgram(kind, shortBytes().text, of: user))
    default: return nil
    }
  }
}
