// Owns the rules of one declared store: reads them, and finds those that contradict each other.

import HubCore

/// A schema being read, with the positions of whatever may conflict.
struct SchemaDraft {
  var schema: Schema
  /// The fields that are values, by key.
  var nodes: [String: ConfigurationNode] = [:]
  /// The choices, each with its value.
  var choices: [(value: Value, node: ConfigurationNode)] = []

  init(type: ValueType) {
    schema = Schema(type: type)
  }

  /// The later of the two bounds.
  var bound: ConfigurationNode? {
    [nodes["minimum"], nodes["maximum"]].compactMap { $0 }.max { $0.position < $1.position }
  }
}

extension ConfigurationReader {
  /// Reads a field of the schema.
  ///
  /// - Parameter isTyped: the store's type is known. Without it, nothing that depends on it can be judged.
  mutating func read(
    _ field: SchemaField, _ node: ConfigurationNode, isTyped: Bool, into draft: inout SchemaDraft
  ) {
    let type = draft.schema.type
    if isTyped, !field.types.contains(type) {
      return reject(node.atKey, "applies to \(field.types), not to \(type)")
    }
    switch field.form {
    case .value(let access):
      guard isTyped, let value = value(node, of: type) else { return }
      access.set(&draft.schema, value)
      draft.nodes[field.key] = node
    case .values(let access):
      guard isTyped else { return }
      let values = elements(of: node).compactMap { element in
        value(element, of: type).map { (value: $0, node: element) }
      }
      access.set(&draft.schema, values.map(\.value))
      draft.choices += values
    case .count(let access, let range):
      guard isTyped else { return }
      access.set(&draft.schema, size(node, in: range).map(UInt32.init))
    case .durability(let access): access.set(&draft.schema, choice(node, of: Durability.allCases))
    case .text(let access): access.set(&draft.schema, string(node) ?? "")
    }
  }

  /// Judges bounds, then choices, then the initial value, so that each problem is reported at its position.
  mutating func judge(_ draft: SchemaDraft) {
    var rules = draft.schema
    (rules.initial, rules.choices) = (nil, [])
    if let bound = draft.bound, let low = rules.minimum, let high = rules.maximum {
      do {
        _ = try Schema(type: rules.type, initial: low, minimum: low, maximum: high).validated()
      } catch {
        return reject(bound, error.message)
      }
    }
    for choice in draft.choices {
      if let problem = rules.problem(with: choice.value) { reject(choice.node, problem.message) }
    }
    rules.choices = draft.schema.choices
    if let initial = draft.schema.initial, let node = draft.nodes["initial"],
      let problem = rules.problem(with: initial)
    {
      reject(node, problem.message)
    }
  }
}
