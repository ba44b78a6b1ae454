// What the conformance program tells an adapter: a line of JSON each, with the field names of docs/vectors.

import FoundationEssentials
import HubClient
import HubCore

struct Instruction: Decodable, Sendable {
  var `do`: String
  var path: String?
  var name: String?
  var timeout: Double?
  var id: Int?
  var request: String?
  var watch: String?
  var patterns: [String]?
  var every: Bool?
  var filter: FilterField?
  var pattern: String?
  var to: String?
  var add: Int64?
  var `default`: Int64?
  var operations: [WriteField]?
}

/// What the hub leaves out of a client's watches.
struct FilterField: Decodable, Sendable {
  struct ConditionField: Decodable, Sendable {
    var comparison: UInt8
    var operands: [ValueField]
  }

  var milliseconds: Int?
  var deadband: Double?
  var percent: Double?
  var deadline: Int?
  var condition: ConditionField?

  func filtered(_ sequence: WatchSequence) -> WatchSequence {
    sequence.filtered(
      atMost: milliseconds.map { .milliseconds($0) },
      by: deadband.map { .absolute($0) } ?? percent.map { .percent($0) },
      when: condition.flatMap { condition in
        WatchCondition.Comparison(rawValue: condition.comparison).map {
          WatchCondition($0, condition.operands.map(\.value))
        }
      },
      deadline: deadline.map { .milliseconds($0) })
  }
}

/// A write, alone or in a transaction.
struct WriteField: Decodable, Sendable {
  var request: String
  var store: String
  var value: ValueField?
  var delta: ValueField?
  var clamp: Bool?
  var ifRevision: Scalar?
  var ifEpoch: String?
  var ifValue: ValueField?
  var ifAbsent: Bool?
  var force: Bool?
  var ttl: Scalar?
  var ephemeral: Bool?
  var schema: SchemaField?

  var condition: Condition<Value> {
    if let ifRevision { return .revision(UInt64(ifRevision.integer), epoch: ifEpoch.map(epoch)) }
    if let ifValue { return .value(ifValue.value) }
    return ifAbsent == true ? .absent : .always
  }

  var lifetime: Hub.Lifetime {
    Hub.Lifetime(ttl: ttl.map { UInt64($0.integer) }, ephemeral: ephemeral == true)
  }
}

func epoch(_ digits: String) -> Epoch {
  Epoch(high: UInt64(digits.prefix(16), radix: 16) ?? 0, low: UInt64(digits.dropFirst(16), radix: 16) ?? 0)
}

struct SchemaField: Decodable, Sendable {
  var type: String
  var minimum: ValueField?
  var maximum: ValueField?
  var initial: ValueField?
  var choices: [ValueField]?
  var maxBytes: UInt32?
  var durability: String?
  var description: String?

  var schema: Schema {
    Schema(
      type: ValueType(name: type) ?? .integer, initial: initial?.value, minimum: minimum?.value,
      maximum: maximum?.value, choices: choices?.map(\.value) ?? [], maxBytes: maxBytes,
      durability: durability.flatMap { Durability(name: $0) }, description: description ?? "")
  }
}

struct ValueField: Decodable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case type, hex
    case scalar = "value"
  }

  var type: String
  var scalar: Scalar?
  var hex: String?

  var value: Value {
    guard let scalar else { return .data(bytes) }
    return switch type {
    case "integer": .integer(scalar.integer)
    case "double": .double(scalar.double)
    case "boolean": .boolean(scalar.text == "true")
    case "json": .json(scalar.text)
    default: .string(scalar.text)
    }
  }

  private var bytes: [UInt8] {
    let digits = Array(hex ?? "")
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
    }
  }
}

/// A number, which may come as digits, a boolean or a text.
struct Scalar: Decodable, Sendable {
  var text: String
  var integer: Int64 { Int64(text) ?? 0 }
  var double: Double { Double(text) ?? 0 }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      text = value ? "true" : "false"
    } else if let value = try? container.decode(Double.self), value == 0, value.sign == .minus {
      text = "-0.0"
    } else if let value = try? container.decode(Int64.self) {
      text = String(value)
    } else if let value = try? container.decode(Double.self) {
      text = String(value)
    } else {
      text = try container.decode(String.self)
    }
  }
}
