// Owns the walk through a configuration's tree: reads typed values from it and collects the errors.

import HubCore
import HubEngine

/// Collects every problem of one file. A value with an error reads as nil, and reading continues.
struct ConfigurationReader {
  let file: String
  let accounts: AccountNames
  private(set) var problems: [ConfigurationProblem] = []
  /// Warnings.
  private(set) var notes: [ConfigurationProblem] = []
  /// Where each access rule is written, by its origin.
  var rulePositions: [String: JSONPosition] = [:]

  init(file: String, accounts: AccountNames) {
    self.file = file
    self.accounts = accounts
  }

  /// Throws the problems, in the order of the file.
  func finish() throws(ConfigurationError) {
    if problems.isEmpty { return }
    throw ConfigurationError(problems: problems.sorted { $0.position < $1.position })
  }

  mutating func reject(_ node: ConfigurationNode, _ message: String) {
    problems.append(
      ConfigurationProblem(file: file, position: node.position, path: node.path, message: message))
  }

  mutating func note(_ node: ConfigurationNode, _ message: String) {
    notes.append(
      ConfigurationProblem(file: file, position: node.position, path: node.path, message: message))
  }

  mutating func reject(_ rule: AccessRule, _ message: String) {
    problems.append(problem(with: rule, message))
  }

  func problem(with rule: AccessRule, _ message: String) -> ConfigurationProblem {
    ConfigurationProblem(
      file: file, position: rulePositions[rule.origin] ?? .start, path: rule.origin, message: message)
  }

  mutating func reject(_ error: JSONError) {
    problems.append(ConfigurationProblem(file: file, error))
  }

  mutating func reject(_ node: ConfigurationNode, expected: String) {
    reject(node, "expected \(expected), found \(node.value.found)")
  }

  // MARK: The types that a node can be read as.

  /// The members of an object, each as a node.
  mutating func members(of node: ConfigurationNode) -> [(key: String, node: ConfigurationNode)] {
    guard case .object(let members) = node.value.content else {
      reject(node, expected: "an object")
      return []
    }
    return members.map { ($0.key, node.member($0)) }
  }

  /// The members of an object whose keys are known words; other keys are problems.
  mutating func members(
    of node: ConfigurationNode, as words: [String]
  ) -> [(key: String, node: ConfigurationNode)] {
    members(of: node).filter { word, member in
      if words.contains(word) { return true }
      reject(member.atKey, "unknown key" + ConfigurationReader.hint(word, words))
      return false
    }
  }

  mutating func elements(of node: ConfigurationNode) -> [ConfigurationNode] {
    guard case .array(let elements) = node.value.content else {
      reject(node, expected: "an array")
      return []
    }
    return elements.indices.map { node.element(elements[$0], at: $0) }
  }

  mutating func boolean(_ node: ConfigurationNode) -> Bool? {
    if case .boolean(let value) = node.value.content { return value }
    reject(node, expected: "true or false")
    return nil
  }

  mutating func string(_ node: ConfigurationNode) -> String? {
    if case .string(let value) = node.value.content { return value }
    reject(node, expected: "a string")
    return nil
  }

  mutating func integer(_ node: ConfigurationNode, in range: ClosedRange<Int>) -> Int? {
    if case .number(let number) = node.value.content, let integer = number.integer, range ~= Int(integer) {
      return Int(integer)
    }
    reject(node, expected: "an integer from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// A number of bytes, or a string with a unit: K, M, G and T are powers of 1024, as systemd has them.
  mutating func size(_ node: ConfigurationNode, in range: ClosedRange<Int>) -> Int? {
    guard case .string(let text) = node.value.content else { return integer(node, in: range) }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text[digits.endIndex...].drop { $0 == " " }
    let power = ["K", "M", "G", "T"].firstIndex { [$0, "\($0)iB"].contains(String(unit)) }
    if let power, let number = Int(digits) {
      let (bytes, overflows) = number.multipliedReportingOverflow(by: 1 << (10 * (power + 1)))
      if !overflows, range ~= bytes { return bytes }
    }
    reject(
      node,
      expected:
        "bytes from \(range.lowerBound) to \(range.upperBound), as a number or with a unit such as \"64 MiB\""
    )
    return nil
  }

  /// An absolute path of at most `limit` bytes.
  mutating func path(_ node: ConfigurationNode, limit: Int) -> String? {
    guard let path = string(node) else { return nil }
    if path.isEmpty {
      reject(node, "the path is empty: give an absolute one, which begins with /, or leave the key out")
    } else if !path.hasPrefix("/") {
      reject(node, "\(JSONWriter.quoted(path)) is a relative path: give an absolute one, which begins with /")
    } else if path.utf8.count > limit {
      reject(node, "the path has \(path.utf8.count) bytes, and at most \(limit) are allowed")
    } else if path.utf8.contains(0) {
      reject(node, "the path contains a zero byte")
    } else {
      return path
    }
    return nil
  }

  /// One of `choices`, by its name.
  mutating func choice<Choice: CustomStringConvertible>(
    _ node: ConfigurationNode, of choices: some Collection<Choice>
  ) -> Choice? {
    let names = choices.map(\.description)
    guard case .string(let name) = node.value.content else {
      reject(node, expected: names.map { "\"\($0)\"" }.joined(separator: ", "))
      return nil
    }
    if let choice = choices.first(where: { $0.description == name }) { return choice }
    reject(node, "\(JSONWriter.quoted(name)) is unknown" + ConfigurationReader.hint(name, names))
    return nil
  }

  /// The names that other programs use for some keys.
  private static let otherWords = [
    "min": "minimum", "max": "maximum", "default": "initial", "value": "initial", "enum": "choices",
    "values": "choices", "maxLength": "maxBytes",
  ]

  private static func hint(_ word: String, _ words: [String]) -> String {
    let other = otherWords[word].flatMap { words.contains($0) ? $0 : nil }
    let nearest = other ?? Suggestion.nearest(word, in: words)
    let suggestion = nearest.map { " (did you mean \($0)?)" } ?? ""
    return suggestion + "; allowed: " + words.joined(separator: ", ")
  }
}

extension JSONValue {
  /// What was found, in the words of an error message: a number itself, otherwise the kind of value.
  fileprivate var found: String {
    switch content {
    case .number(let number) where number.text.utf8.count <= 40: number.text
    case .boolean(let value): "\(value)"
    case .string(let text) where text.utf8.count <= 40: "the string \(JSONWriter.quoted(text))"
    default: content.kind
    }
  }
}
