// Owns the dependency through which features make identifiers.

public import FoundationEssentials

/// Makes identifiers: `@Dependency(\.uuid) var uuid`, `uuid()`.
public struct UUIDGenerator: Sendable {
  private let generate: @Sendable () -> UUID

  /// A generator that calls a function, from any thread.
  public init(_ generate: @escaping @Sendable () -> UUID) { self.generate = generate }

  /// Makes one identifier.
  public func callAsFunction() -> UUID { generate() }

  /// A generator that always returns the same identifier.
  public static func constant(_ uuid: UUID) -> Self { Self { uuid } }

  /// A generator of `UUID(0)`, `UUID(1)` and so on.
  public static var incrementing: Self {
    let count = Counter()
    return Self { UUID(count.next()) }
  }
}

extension UUID {
  /// An identifier of zeros that ends with the number's hexadecimal digits, like those of
  /// ``UUIDGenerator/incrementing``.
  public init(_ value: Int) {
    let bytes = withUnsafeBytes(of: UInt64(bitPattern: Int64(value)).bigEndian) { Array($0) }
    self.init(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]
      ))
  }
}

extension DependencyValues {
  /// Makes random identifiers. In a test, using it without overriding it is reported as an issue.
  public var uuid: UUIDGenerator {
    get { self[UUIDKey.self] }
    set { self[UUIDKey.self] = newValue }
  }
}

private enum UUIDKey: DependencyKey {
  static var liveValue: UUIDGenerator { UUIDGenerator { UUID() } }
  static var testValue: UUIDGenerator {
    UUIDGenerator {
      Unimplemented.report("DependencyValues.uuid")
      return UUID()
    }
  }
}
