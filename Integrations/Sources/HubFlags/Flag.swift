// A flag as a store holds it, and its evaluation: a pure function of the flag and the context.

/// A flag's value in one of the types that a flag may have.
public enum FlagValue: Hashable, Sendable, Codable {
  case boolean(Bool)
  case integer(Int)
  case double(Double)
  case string(String)

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    }
  }
}

/// For whom a flag is evaluated.
public struct FlagContext: Hashable, Sendable {
  /// The user or thing that the flag is for, for example a user's name. The same key always gets the same side of a split.
  public var targetingKey: String?
  /// The attributes that rules compare.
  public var attributes: [String: String]

  public init(targetingKey: String? = nil, attributes: [String: String] = [:]) {
    self.targetingKey = targetingKey
    self.attributes = attributes
  }
}

/// A flag with variants, as a JSON store holds it:
///
///     {"variants": {"on": true, "off": false}, "defaultVariant": "off",
///      "targeting": [{"if": {"country": ["de", "at"]}, "percent": 20, "variant": "on"}]}
///
/// The first rule that applies decides. All conditions of its `if` must hold, each with one of its values. Of the keys for which
/// they hold, `percent` get the variant.
public struct Flag: Codable, Hashable, Sendable {
  public struct Rule: Codable, Hashable, Sendable {
    public var `if`: [String: Set<String>]?
    public var percent: Double?
    public var variant: String
  }

  /// False: the program's default applies.
  public var enabled: Bool?
  public var variants: [String: FlagValue]
  public var defaultVariant: String
  public var targeting: [Rule]?

  /// The variant's name and the reason. There may be no variant of that name.
  func variant(of name: String, for context: FlagContext) -> (name: String, reason: FlagReason) {
    for rule in targeting ?? [] {
      let holds = (rule.if ?? [:]).allSatisfy { attribute, values in
        context.attributes[attribute].map { values.contains($0) } ?? false
      }
      guard holds else { continue }
      guard let percent = rule.percent else { return (rule.variant, .targetingMatch) }
      if let key = context.targetingKey, Self.share(of: key, in: name) * 100 < percent {
        return (rule.variant, .split)
      }
    }
    return (defaultVariant, targeting?.isEmpty ?? true ? .static : .default)
  }

  /// Where a key stands in a flag's split, from 0 to 1: the same in every process and every release (FNV-1a and a mixing step).
  private static func share(of key: String, in flag: String) -> Double {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in flag.utf8 + [0] + key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return Double((hash ^ (hash >> 32)) >> 11) / 0x1p53
  }
}

/// Why a flag has its value; the names are OpenFeature's.
public enum FlagReason: String, Sendable {
  /// The flag has no rules.
  case `static` = "STATIC"
  /// No rule applies.
  case `default` = "DEFAULT"
  case targetingMatch = "TARGETING_MATCH"
  case split = "SPLIT"
  case disabled = "DISABLED"
  /// The hub is away: there may be a newer value.
  case stale = "STALE"
  case error = "ERROR"
}

/// Why the program's own default was returned; the names are OpenFeature's.
public enum FlagErrorCode: String, Sendable {
  case flagNotFound = "FLAG_NOT_FOUND"
  case typeMismatch = "TYPE_MISMATCH"
  case parseError = "PARSE_ERROR"
}

/// A flag's value, with its variant and the reason.
public struct FlagDetails<Value: Sendable>: Sendable {
  public var value: Value
  public var variant: String?
  public var reason: FlagReason
  public var errorCode: FlagErrorCode?

  /// For tests of programs that use flags.
  public init(value: Value, variant: String? = nil, reason: FlagReason, errorCode: FlagErrorCode? = nil) {
    self.value = value
    self.variant = variant
    self.reason = reason
    self.errorCode = errorCode
  }
}

extension FlagDetails: Equatable where Value: Equatable {}
