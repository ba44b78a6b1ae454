// Owns what libFuzzer checks of the configuration, with its rules, sockets and stores: no text crashes the reader, an error
// lies in the text, and what is accepted means the same in an image, and what the plainest reading of its rules says.

import HubCore
import HubEngine
import HubSystem

@testable import HubServer

@c(LLVMFuzzerTestOneInput)
public func fuzzConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = UnsafeBufferPointer(start: start, count: count)
  let standard = ServerOptions(socketPath: "/run/hub.sock", isSystem: true)
  var options = standard
  do throws(ConfigurationError) {
    try options.configure(parsing: text.span, file: "fuzz", accounts: accounts)
  } catch {
    precondition(options == standard, "a faulty configuration changes nothing")
    precondition(!error.problems.isEmpty, "a fault is named")
    let lines = 1 + text.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    for problem in error.problems {
      precondition(0...text.count ~= problem.position.offset, "a fault lies in the text")
      precondition(1...lines ~= problem.position.line && problem.position.column >= 1)
      precondition(!problem.message.isEmpty)
    }
    return 0
  }
  checkImage(of: options)
  checkRules(of: options)
  return 0
}

/// A machine with few users: no file is read.
private let accounts = AccountNames(
  user: { ["root": 0, "alice": 1000, "bob": 1001][$0] },
  group: { ["wheel": 10, "audio": 11, "hub": 70][$0] },
  groups: { $0 == 1000 ? [100, 10] : [] })

/// A hand-off passes the settings on as they are.
private func checkImage(of options: ServerOptions) {
  var image = OutputBuffer()
  for setting in Setting.all { setting.write(options, &image) }
  var restored = ServerOptions(socketPath: "", isSystem: false)
  var reader = ByteReader(image.view)
  precondition(restored.read(&reader) && reader.remaining == 0, "an image can be read")
  for setting in Setting.all {
    precondition(setting.take(&restored, options) == nil, "\(setting.key ?? "") is kept")
  }
}

/// Compares decisions with ``RulesModel``, on names made of the words that the rules have.
private func checkRules(of options: ServerOptions) {
  let rules = options.allAccess
  // The comparison takes time for the square of their number.
  if rules.rules.count > 12 { return }
  let table = AccessTable(rules, user: 7, group: 70)
  var work = 0
  let unreachable = Set(table.unreachable(&work).map(\.rule.origin))
  for (index, name) in names(for: rules).enumerated() {
    let decided = Array(name.text.utf8).withByteView { table.ranked[table.rule(for: $0)] }
    let expected = RulesModel.rule(of: rules, for: name)
    precondition(decided.origin == expected?.origin ?? table.ranked.last!.origin, "\(name): \(decided)")
    precondition(
      name.isReserved || !unreachable.contains(decided.origin), "\(decided.origin) decides about \(name)")
    // Each name for one user, and another number of rules for another: all of them would take a third of the time.
    let identity = identities[(index + rules.rules.count) % identities.count]
    for (_, right) in AccessRights.words {
      let isAllowed = table.decide(right, on: name, createdBy: 1000, for: identity).isAllowed
      precondition(
        isAllowed == RulesModel.allows(right, rules, expected, identity, createdBy: 1000),
        "\(right) on \(name) for \(identity)")
    }
  }
}

private let identities = [
  PeerIdentity(uid: 0, gid: 0), PeerIdentity(uid: 7, gid: 5), PeerIdentity(uid: 1000, gid: 100, groups: [10]),
  PeerIdentity(uid: 1001, gid: 11, groups: [70]), PeerIdentity(uid: PeerIdentity.nobody, gid: 65_534),
]

private func names(for rules: AccessRules) -> [StoreName] {
  var texts: Set<String> = []
  for rule in rules.rules {
    for replacements in [["*": "a", "**": "b.c"], ["*": "statehub", "**": "a"], ["**": ""]] {
      let parts = rule.pattern.text.split(separator: ".").map { replacements[String($0)] ?? String($0) }
      let text = parts.filter { !$0.isEmpty }.joined(separator: ".")
      texts.formUnion([text, "\(text).z"])
    }
  }
  return texts.sorted().compactMap { try? StoreName($0) }
}
