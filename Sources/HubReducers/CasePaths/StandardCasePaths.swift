// Owns the case paths of the standard library's enums.

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
