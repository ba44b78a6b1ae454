// Owns the data that can be sent to an analytics service.

/// One piece of data for an analytics service.
public enum AnalyticsData: Sendable {
  /// Something happened.
  case event(name: String, properties: [String: String] = [:])

  /// A screen, page or mode appeared.
  case screen(name: String)

  /// The user of the following data.
  case userId(String)

  /// A property of the user of the following data.
  case userProperty(name: String, value: String)

  /// Something failed.
  case error(any Error)
}

extension AnalyticsData {
  /// The event of that name: `.event("ButtonTapped")`.
  public static func event(_ name: String, properties: [String: String] = [:]) -> Self {
    .event(name: name, properties: properties)
  }

  /// The screen of that name.
  public static func screen(_ name: String) -> Self { .screen(name: name) }
}

extension AnalyticsData: Equatable {
  /// Errors are equal if their descriptions are.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.event(let lhsName, let lhsProperties), .event(let rhsName, let rhsProperties)):
      lhsName == rhsName && lhsProperties == rhsProperties
    case (.screen(let lhs), .screen(let rhs)), (.userId(let lhs), .userId(let rhs)): lhs == rhs
    case (.userProperty(let lhsName, let lhsValue), .userProperty(let rhsName, let rhsValue)):
      lhsName == rhsName && lhsValue == rhsValue
    case (.error(let lhs), .error(let rhs)): String(reflecting: lhs) == String(reflecting: rhs)
    default: false
    }
  }
}

extension AnalyticsData: ExpressibleByStringLiteral {
  /// A string is the event of that name.
  public init(stringLiteral name: String) { self = .event(name: name) }
}
