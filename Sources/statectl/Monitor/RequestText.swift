// A request in words, similar to statectl's command line.

internal import HubCore

struct RequestText {
  /// The values of `--verb`. The last three are changes that the hub makes by itself.
  static let verbs: [(word: String, kind: UInt8)] =
    WriteKind.allCases.map { ("\($0)", $0.rawValue) }
    + RequestKind.allCases.filter { $0 != .monitor }.map {
      ($0 == .transaction ? "txn" : "\($0)", $0.rawValue)
    }
    + [("changed", EventKind.change), ("created", .created), ("removed", .removed)].map { ($0, $1.rawValue) }

  /// The names in help and completions.
  static var kinds: String {
    let words = verbs.map(\.word)
    return "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
  }

  let verb: String
  private let record: MonitorRecord

  /// Of a value.
  private static let width = 60
  /// Of a transaction.
  private static let mostOperations = 4

  init(_ record: MonitorRecord) {
    self.record = record
    verb = RequestText.verbs.first { $0.kind == record.kind }?.word ?? "kind \(record.kind)"
  }

  var text: String {
    if EventKind(rawValue: record.kind) != nil { return words(verb, record.name, ownValue) }
    guard let request = record.request else {
      return words(verb, record.name, "... (\(record.length) bytes)")
    }
    return text(of: request)
  }

  private var ownValue: String? {
    if record.kind == EventKind.removed.rawValue { return nil }
    return record.value.map(RequestText.text(of:)) ?? "..."
  }

  private func text(of request: Request) -> String {
    switch request {
    case .write(let operation): return text(of: operation)
    case .transaction(let operations):
      let shown = operations.prefix(RequestText.mostOperations).map { text(of: $0) }
      let rest = operations.count - shown.count
      return "txn: " + shown.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    case .get(let store), .describe(let store): return words(verb, name(store))
    case .list(let pattern, _, _), .log(let pattern, _, _): return words(verb, pattern.text)
    case .watch(let patterns, let policy, let bookmark, _, let filter):
      return words(
        verb, patterns.map(\.text).joined(separator: " "), policy == .every ? "--every" : nil,
        bookmark.map { "from revision \($0.revision)" }, filter.map(text(of:)))
    case .unwatch(let watch): return words(verb, "\(watch)")
    case .access(let name, _): return words(verb, name.text)
    case .provide(let offer):
      return words(verb, offer.name.text, offer.patterns.map(\.text).joined(separator: " "))
    case .standing(let name, let standing): return words(verb, name.text, text(of: standing))
    case .decide(let ticket, let decision): return words(verb, "\(ticket)", text(of: decision))
    case .restrict(let restriction): return words(verb, "\(restriction)")
    case .hello, .ping, .clients, .stats, .reload, .monitor: return verb
    }
  }

  private func text(of filter: WatchFilter) -> String {
    let interval = filter.milliseconds > 0 ? "--interval \(filter.milliseconds)ms" : nil
    let deadband = filter.deadband.map { "--deadband \($0.text)" }
    let condition = filter.condition.map { condition in
      words(
        "--when", WaitCondition.word(for: condition.comparison),
        condition.operands.map(RequestText.text(of:)).joined(separator: ", "))
    }
    let deadline = filter.deadline > 0 ? "--deadline \(filter.deadline)ms" : nil
    return [interval, deadband, condition, deadline].compactMap { $0 }.joined(separator: " ")
  }

  private func text(of standing: ClaimStanding) -> String {
    if case .suspended(let reason) = standing { words("suspended", reason) } else { "\(standing)" }
  }

  private func text(of decision: Decision) -> String {
    switch decision {
    case .accept(nil): "accept"
    case .accept(let values?):
      "accept " + values.prefix(RequestText.mostOperations).map(RequestText.text(of:)).joined(separator: " ")
    case .taken: "taken"
    case .refuse(_, let message): words("refuse", message)
    case .again: "again"
    }
  }

  private func text(of operation: WriteOperation) -> String {
    switch operation {
    case .set(let store, let value, let condition, let lifetime, let force):
      words(
        "set", name(store), RequestText.text(of: value), text(of: condition),
        lifetime.ttl.map { "--ttl \($0)ms" }, lifetime.ephemeral ? "ephemeral" : nil, force ? "--force" : nil)
    case .add(let store, let delta, let clamp):
      words("add", name(store), RequestText.text(of: delta), clamp ? "--clamp" : nil)
    case .toggle(let store): words("toggle", name(store))
    case .reset(let store): words("reset", name(store))
    case .remove(let store, let condition): words("remove", name(store), text(of: condition))
    case .create(let name, let schema, let ifAbsent):
      words("create", name.text, "--type \(schema.type)", ifAbsent ? "--if-absent" : nil)
    }
  }

  private func text(of condition: WriteCondition) -> String? {
    let parts = [
      condition.revision.map { "--if-revision \($0)" },
      condition.value.map { "--if-value \(RequestText.text(of: $0))" },
      condition.absent ? "--if-absent" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// By its number a store has a name only in the record, and there only the first of several.
  private func name(_ store: StoreReference) -> String {
    switch store {
    case .name(let name): name.text
    case .id(let id):
      record.kind == RequestKind.transaction.rawValue || record.name.isEmpty ? "#\(id)" : record.name
    }
  }

  private static func text(of value: Value) -> String { ValueText.cut(ValueText.line(value), width) }

  private func words(_ parts: String?...) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
  }
}
