// Owns the protocol that gives an enum case key paths, and the operations of such enums; the standard library's conform.
// `@CasePathable` writes conformances; they can also be written by hand.

/// An enum whose cases can be named with key paths: `\.task`, `\.settings.volume`.
///
/// `@CasePathable` writes the conformance. By hand, give each case one property:
/// ```swift
/// extension Player.Action: CasePathable {
///   struct AllCasePaths: Sendable {
///     var task: AnyCasePath<Action, Void> {
///       AnyCasePath(embed: { .task }, extract: { if case .task = $0 { () } else { nil } })
///     }
///   }
///   static var allCasePaths: AllCasePaths { AllCasePaths() }
/// }
/// ```
public protocol CasePathable {
  /// A value with one `AnyCasePath` property per case, named after the case.
  associatedtype AllCasePaths

  /// The case paths of this type. It is read at every use of a case key path, so keep it trivial.
  static var allCasePaths: AllCasePaths { get }
}

extension CasePathable {
  /// The payload of the case, or `nil` if the value is in another one.
  public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
    AnyCasePath(keyPath).extract(from: self)
  }

  /// The payload of the case, or `nil` if the value is in another one.
  public subscript(case keyPath: PartialCaseKeyPath<Self>) -> Any? {
    (Case<Self>()[keyPath: keyPath] as? any ErasedCase)?.payload(of: self)
  }

  /// The payload of the case, or `nil` if the value is in another one: `value.volume`, for an enum that is declared with
  /// `@dynamicMemberLookup`.
  public subscript<Payload>(
    dynamicMember keyPath: KeyPath<AllCasePaths, AnyCasePath<Self, Payload>>
  ) -> Payload? {
    Self.allCasePaths[keyPath: keyPath].extract(from: self)
  }

  /// `\Action.Cases.volume`: the root for case key paths that must name their enum.
  public typealias Cases = Case<Self>

  /// Whether the value is in the case.
  public func `is`(_ keyPath: PartialCaseKeyPath<Self>) -> Bool {
    self[case: keyPath] != nil
  }

  /// Changes the payload in place.
  ///
  /// If the value is in another case, nothing changes, and an issue is reported at the caller's line.
  public mutating func modify<Value>(
    _ keyPath: CaseKeyPath<Self, Value>, yield: (inout Value) -> Void,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    let path = AnyCasePath(keyPath)
    guard var payload = path.extract(from: self) else {
      reportIssue(
        "modify(\(path)) found \(Self.self) in another case (\(self)); nothing was changed",
        fileID: fileID, filePath: filePath, line: line, column: column)
      return
    }
    yield(&payload)
    self = path.embed(payload)
  }
}

extension Optional: CasePathable {
  public struct AllCasePaths: Sendable {
    /// The case without a value.
    public var none: AnyCasePath<Optional, Void> {
      AnyCasePath("none", embed: { .none }, extract: { $0 == nil ? () : nil })
    }

    /// The case with a value.
    public var some: AnyCasePath<Optional, Wrapped> {
      AnyCasePath("some", embed: { .some($0) }, extract: { $0 })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Result: CasePathable {
  public struct AllCasePaths: Sendable {
    /// The case of a success.
    public var success: AnyCasePath<Result, Success> {
      AnyCasePath("success", embed: { .success($0) }, extract: { try? $0.get() })
    }

    /// The case of a failure.
    public var failure: AnyCasePath<Result, Failure> {
      AnyCasePath(
        "failure",
        embed: { .failure($0) },
        extract: {
          guard case .failure(let error) = $0 else { return nil }
          return error
        })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Never: CasePathable {
  public struct AllCasePaths: Sendable {}

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
