// What a store accepts: its type, its bounds, and its initial value. It checks values and holds none.

/// When a write to a store is acknowledged, relative to the disk.
public enum Durability: UInt8, Sendable, CaseIterable, CustomStringConvertible {
  /// Kept in memory and passed on by a reload, but never written to disk.
  case volatile = 1
  /// Acknowledged once it is written to a file: killing the hub loses nothing, and a power failure loses at most the
  /// last second.
  case relaxed = 2
  /// Acknowledged once it is on the disk.
  case synced = 3

  /// The durability with that name, such as `synced`; nil if there is none.
  public init?(name: String) {
    guard let durability = Durability.allCases.first(where: { $0.description == name }) else { return nil }
    self = durability
  }

  /// A human-readable description of the store's purpose; empty if not given.
  public var description: String {
    switch self {
    case .volatile: "volatile"
    case .relaxed: "relaxed"
    case .synced: "synced"
    }
  }
}

/// The rules of a store. Each option has a row in `SchemaField`, and its rule here.
public struct Schema: Hashable, Sendable {
  /// The type of the store's values.
  public var type: ValueType
  /// The value that the store returns to after `reset` or when a value expires. Without it, a created store starts
  /// with the first of these that the rules allow: zero, the minimum, the first choice.
  public var initial: Value?
  /// The inclusive bound for `integer` and `double`.
  public var minimum: Value?
  /// The inclusive bound for `integer` and `double`.
  public var maximum: Value?
  /// If not empty, the only accepted values.
  public var choices: [Value]
  /// The longest `string`, `data` or `json`, in bytes; at least 1.
  public var maxBytes: UInt32?
  /// The durability; nil for the hub's default.
  public var durability: Durability?
  /// A human-readable description of the store's purpose; empty if not given.
  public var description: String

  /// Makes a schema without checking it: see `validated(store:)`. Bounds and choices are values of `type`.
  public init(
    type: ValueType, initial: Value? = nil, minimum: Value? = nil, maximum: Value? = nil,
    choices: [Value] = [], maxBytes: UInt32? = nil, durability: Durability? = nil, description: String = ""
  ) {
    self.type = type
    self.initial = initial
    self.minimum = minimum
    self.maximum = maximum
    self.choices = choices
    self.maxBytes = maxBytes
    self.durability = durability
    self.description = description
  }

  /// Whether a value of the right type can break a rule.
  package var hasRules: Bool { minimum != nil || maximum != nil || !choices.isEmpty || maxBytes != nil }

  /// Checks the rules for consistency and fills in the initial value, as the hub does. Bounds, choices and the initial
  /// value of a double store may be given as integers.
  ///
  /// - Throws: `HubError` with the code `invalidSchema`, which names the invalid rule.
  public func validated(store: String? = nil) throws(HubError) -> Schema {
    func reject(_ reason: String) -> HubError { HubError(.invalidSchema, store: store, reason) }
    func widened(_ value: Value, _ rule: String) throws(HubError) -> Value {
      guard let fit = value.converted(to: type) else {
        throw reject("\(rule) is \(value.type.withArticle), the store's type is \(type)")
      }
      return fit
    }
    var schema = self
    for field in SchemaField.all where !field.types.contains(type) && field.isSet(in: self) {
      throw reject("\(field.key) applies to \(field.types), not to \(type)")
    }
    if maxBytes == 0 { throw reject("maxBytes must be at least 1") }
    if let minimum { schema.minimum = try widened(minimum, "minimum") }
    if let maximum { schema.maximum = try widened(maximum, "maximum") }
    for case .double(let bound)? in [schema.minimum, schema.maximum] where !bound.isFinite {
      throw reject("minimum and maximum must be finite")
    }
    var choices: [Value] = []
    for choice in self.choices { choices.append(try widened(choice, "a choice")) }
    schema.choices = choices
    if let low = schema.minimum, let high = schema.maximum, Schema.less(high, low) {
      throw reject("minimum \(low) is above maximum \(high)")
    }
    for choice in choices {
      if let problem = schema.problem(with: choice, ignoringChoices: true) {
        throw reject("the choice \(choice) is refused: \(problem.message)")
      }
    }
    if let initial {
      let fit = try widened(initial, "initial")
      if let problem = schema.problem(with: fit) { throw reject("initial is refused: \(problem.message)") }
      schema.initial = fit
    } else {
      let candidates = [Value.zero(of: type), schema.minimum, choices.first].compactMap { $0 }
      guard let first = candidates.first(where: { schema.problem(with: $0) == nil }) else {
        throw reject("give an initial value: neither zero, the minimum nor the first choice fits the rules")
      }
      schema.initial = first
    }
    guard schema.encodedLength <= Schema.maximumEncodedLength else {
      throw reject("the schema takes more than \(Schema.maximumEncodedLength) bytes: shorten it")
    }
    return schema
  }

  /// Why a value of the schema's type is refused; nil if it is accepted.
  public func problem(with value: Value) -> HubError? { problem(with: value, ignoringChoices: false) }

  private func problem(with value: Value, ignoringChoices: Bool) -> HubError? {
    value.bytes.withByteView {
      problem(with: ValueView(type: value.type, bytes: $0), ignoringChoices: ignoringChoices)
    }
  }

  /// - Parameter known: the choices' bytes, if they are available.
  package func problem(
    with value: ValueView, ignoringChoices: Bool = false, among known: Set<[UInt8]>? = nil
  ) -> HubError? {
    if let error = value.contentProblem { return error }
    if let maxBytes, value.bytes.count > Int(maxBytes) {
      return HubError(.tooLarge, "\(value.bytes.count) bytes are more than maxBytes, \(maxBytes)")
    }
    if minimum != nil || maximum != nil {
      let owned = value.value
      if let minimum, Schema.less(owned, minimum) {
        return HubError(.outOfRange, "\(owned) is below the minimum, \(minimum)")
      }
      if let maximum, Schema.less(maximum, owned) {
        return HubError(.outOfRange, "\(owned) is above the maximum, \(maximum)")
      }
    }
    if !ignoringChoices, !choices.isEmpty, !isChoice(value.bytes, known) {
      let allowed = choices.prefix(12).map(\.description).joined(separator: ", ")
      return HubError(.notAChoice, "\(value.value) is not one of \(allowed)")
    }
    return nil
  }

  private func isChoice(_ bytes: ByteView, _ known: Set<[UInt8]>?) -> Bool {
    known?.contains(bytes.array) ?? choices.contains { $0.bytes.withByteView { $0.equals(bytes) } }
  }

  package static func less(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    default: false
    }
  }
}

extension Value {
  /// The value converted to another type: an integer becomes a double if that is exact; no other conversion exists.
  public func converted(to type: ValueType) -> Value? {
    if type == self.type { return self }
    guard type == .double, case .integer(let integer) = self, let double = Double(exactly: integer) else {
      return nil
    }
    return .double(double)
  }
}
