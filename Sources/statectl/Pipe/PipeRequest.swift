// A line that a program writes to `statectl pipe`, as a request. docs/pipe.md lists them.

internal import HubCore

/// An object of JSON. Unknown members are refused: a misspelt condition must not be ignored.
struct PipeLine {
  private let members: [JSONMember]

  init(_ text: [UInt8]) throws(Failure) {
    try self.init(try JSONFields.value(of: text))
  }

  init(_ value: JSONValue) throws(Failure) {
    members = try JSONFields.members(of: value, "a request")
  }

  /// The id that the reply repeats.
  var id: JSONValue { members.first { $0.key == "id" }?.value ?? JSONValue(.null) }

  var operation: String? {
    guard case .string(let name) = members.first(where: { $0.key == "op" })?.value.content else { return nil }
    return name
  }

  func fields(_ operation: PipeOperation, isPart: Bool = false) throws(Failure) -> JSONFields {
    let common = isPart ? ["op"] : ["id", "op"]
    let fields = try JSONFields(
      members, known: common + operation.members, of: isPart ? "an operation" : "the request")
    try fields.refuseUnknown()
    return fields
  }
}

enum PipeOperation: String, CaseIterable, Sendable {
  case get, set, add, toggle, reset, remove, create, txn, watch, unwatch, list, ping, restrict

  /// The most stores in one reply.
  static let mostListed: UInt32 = 1000

  /// Besides `id` and `op`.
  var members: [String] {
    switch self {
    case .get, .toggle, .reset: ["name"]
    case .set: ["name", "value", "type", "ifRevision", "ifValue", "ifAbsent", "ttl", "ephemeral", "force"]
    case .add: ["name", "delta", "clamp"]
    case .remove: ["name", "ifRevision"]
    case .create: ["name", "type", "ifAbsent"] + SchemaField.all.map(\.key)
    case .txn: ["ops"]
    case .watch: ["names", "every", "interval", "deadband", "when", "deadline"]
    case .unwatch: ["watch"]
    case .list: ["glob", "after", "limit"]
    case .ping: []
    case .restrict: ["to"]
    }
  }

  init(_ line: PipeLine) throws(Failure) {
    let names = PipeOperation.allCases.map(\.rawValue)
    guard let name = line.operation else {
      throw JSONFields.failure("a request needs an op: \(names.joined(separator: ", "))")
    }
    guard let known = PipeOperation(rawValue: name) else {
      let hint = Suggestion.nearest(name, in: names).map { ", did you mean \($0)?" } ?? ""
      throw JSONFields.failure("there is no op \(JSONWriter.quoted(name))\(hint)")
    }
    self = known
  }
}

extension JSONFields {
  /// What the hub leaves out of a watch; nil: nothing.
  func filter() throws(Failure) -> WatchFilter? {
    let (interval, deadband, condition) = (try duration("interval"), try deadband(), try condition())
    let deadline = try duration("deadline")
    if interval == nil, deadband == nil, condition == nil, deadline == nil { return nil }
    return try attempt { () throws(HubError) in
      try WatchFilter(atMost: interval, by: deadband, when: condition, deadline: deadline)
    }
  }

  /// An operator of `wait`, and the value to compare with.
  private func condition() throws(Failure) -> WatchCondition? {
    guard self["when"] != nil else { return nil }
    let parts = try array("when")
    guard case .string(let spelling)? = parts.first?.content,
      let comparison = WaitCondition.row(spelling)?.comparison
    else {
      throw JSONFields.failure(
        "when is an array: an operator of wait, such as \"gt\", and the value to compare with")
    }
    var operands: [Value] = []
    for part in parts.dropFirst() { operands.append(try JSONFields.apparentValue(part, "when")) }
    return WatchCondition(comparison, operands)
  }

  private func deadband() throws(Failure) -> Deadband? {
    let text: String
    switch self["deadband"]?.content {
    case nil: return nil
    case .number(let number): text = number.text
    case .string(let string): text = string
    default: text = ""
    }
    if let deadband = Deadband(text: text) { return deadband }
    throw JSONFields.failure("deadband must be a number above 0, or a percentage such as \"5%\"")
  }

  /// What the program restricts itself to.
  func restriction(_ key: String) throws(Failure) -> Restriction {
    let text = try text(key)
    if let restriction = Restriction.allCases.first(where: { "\($0)" == text }) { return restriction }
    throw JSONFields.failure("\(key) must be \"reading\" or \"nothing\"")
  }

  func flag(_ key: String) throws(Failure) -> Bool {
    guard let value = self[key] else { return false }
    guard case .boolean(let flag) = value.content else {
      throw JSONFields.failure("\(key) must be true or false")
    }
    return flag
  }

  /// A number, or a text with the epoch in front.
  func revision(_ key: String) throws(Failure) -> RevisionWord? {
    guard let value = self[key] else { return nil }
    let text: String
    if case .string(let words) = value.content { text = words } else { text = try number(key).text }
    guard let word = RevisionWord(text) else {
      throw JSONFields.failure("\(key) must be a revision: a number, or \"EPOCH:N\"")
    }
    return word
  }

  /// - Parameter range: what is accepted.
  func count(_ key: String, in range: ClosedRange<UInt32>) throws(Failure) -> UInt32? {
    guard self[key] != nil else { return nil }
    guard let count = UInt32(try number(key).text), range.contains(count) else {
      throw JSONFields.failure(
        "\(key) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }

  func array(_ key: String) throws(Failure) -> [JSONValue] {
    guard case .array(let elements) = try required(key).content, !elements.isEmpty else {
      throw JSONFields.failure("\(key) must be a non-empty array")
    }
    return elements
  }

  /// A number of seconds, or a text as on the command line.
  func duration(_ key: String) throws(Failure) -> Duration? {
    guard let value = self[key] else { return nil }
    let text =
      switch value.content {
      case .number(let number): number.text
      case .string(let text): text
      default: ""
      }
    guard let duration = TimeText.duration(text), duration > .zero else {
      throw JSONFields.failure(
        "\(key) must be a time: a number of seconds, or a string such as \"200ms\", \"10m\"")
    }
    return duration
  }

  /// The patterns of a watch.
  func patterns(_ key: String) throws(Failure) -> [NamePattern] {
    var patterns: [NamePattern] = []
    for element in try array(key) {
      guard case .string(let text) = element.content else {
        throw JSONFields.failure("\(key) must be strings")
      }
      patterns.append(try attempt { () throws(HubError) in try NamePattern(text) })
    }
    return patterns
  }
}
