// Owns the rules of one declared store: which values they are, and which rule does not go with the others.

import HubCore

/// A schema that is being read, with the places of what can clash.
struct SchemaDraft {
  /// Without choices and initial value.
  var schema: Schema
  var choices: [(value: Value, node: ConfigurationNode)] = []
  var initial: (value: Value, node: ConfigurationNode)?
  /// The bound that was read last.
  var bound: ConfigurationNode?

  init(type: ValueType) {
    schema = Schema(type: type)
  }

  var complete: Schema {
    var complete = schema
    complete.choices = choices.map(\.value)
    complete.initial = initial?.value
    return complete
  }
}

extension ConfigurationReader {
  /// Reads a key whose meaning depends on the store's type.
  mutating func read(_ key: StoreKey, _ node: ConfigurationNode, into draft: inout SchemaDraft) {
    let type = draft.schema.type
    switch key {
    case .minimum, .maximum:
      guard type.isNumber else { return reject(node.atKey, "goes with integer and double, not with \(type)") }
      let bound = value(node, of: type)
      if key == .minimum { draft.schema.minimum = bound } else { draft.schema.maximum = bound }
      draft.bound = node
    case .maxBytes:
      guard [.string, .data, .json].contains(type) else {
        return reject(node.atKey, "goes with string, data and json, not with \(type)")
      }
      draft.schema.maxBytes = integer(node, in: 1...1_073_741_824).map(UInt32.init)
    case .choices:
      for element in elements(of: node) {
        if let value = value(element, of: type) { draft.choices.append((value, element)) }
      }
    case .initial:
      draft.initial = value(node, of: type).map { ($0, node) }
    default:
      break
    }
  }

  /// Judges bounds, then choices, then the initial value, so that each problem is reported where it stands.
  mutating func judge(_ draft: SchemaDraft) {
    var rules = draft.schema
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
    rules.choices = draft.choices.map(\.value)
    if let initial = draft.initial, let problem = rules.problem(with: initial.value) {
      reject(initial.node, problem.message)
    }
  }
}
