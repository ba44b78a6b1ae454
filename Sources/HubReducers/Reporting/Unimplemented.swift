// Owns unimplemented endpoints of dependencies: their report, their error, and functions that do only this.

/// Thrown by an endpoint without an implementation.
///
/// In a test, give the endpoint a value: `withDependencies: { $0.numberStore.value = { ... } }`.
public struct Unimplemented: Error, Hashable, Sendable, CustomStringConvertible {
  /// The endpoint's name, `NumberStore.value`.
  public let endpoint: String

  /// - Parameter endpoint: The endpoint's name, such as `NumberStore.value`.
  public init(_ endpoint: String) { self.endpoint = endpoint }

  /// Reports a call of an endpoint without an implementation, at the running effect or the line of a test that sends
  /// an action, otherwise where the client is declared. `@DependencyClient` uses it.
  public static func report(
    _ endpoint: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let caller = EffectContext.current.map { " by an effect of \($0.reducer)" } ?? ""
    let parts = endpoint.split(separator: ".", maxSplits: 1)
    let isOwn = parts.first == "DependencyValues"
    let override =
      "$0\(isOwn ? "" : "[\(parts.first ?? "").self]").\(parts.last ?? "") = \(isOwn ? "..." : "{ ... }")"
    reportIssueOfCaller(
      """
      Unimplemented: '\(endpoint)' was called\(caller), but this client was made without it. Give it a value, in a \
      test by withDependencies: { \(override) }.
      """, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  public var description: String {
    "\(endpoint) has no implementation here: override it, or give its dependency a value for this context"
  }
}

/// A function that reports its use and returns `placeholder`: `unimplemented("API.fetch", placeholder: [])`.
///
/// - Parameters:
///   - description: What is unimplemented, such as `API.fetch`.
///   - placeholder: What the function returns after the report.
public func unimplemented<each Argument, Result: Sendable>(
  _ description: String, placeholder: Result = (), fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) -> Result {
  { (_: repeat each Argument) in
    Unimplemented.report(description, fileID: fileID, filePath: filePath, line: line, column: column)
    return placeholder
  }
}

/// An asynchronous function that reports its use and returns `placeholder`.
public func unimplemented<each Argument, Result: Sendable>(
  _ description: String, placeholder: Result = (), fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) -> @Sendable @concurrent (repeat each Argument) async -> Result {
  { (_: repeat each Argument) in
    Unimplemented.report(description, fileID: fileID, filePath: filePath, line: line, column: column)
    return placeholder
  }
}

/// A function that reports its use and throws ``Unimplemented``.
public func unimplemented<each Argument, Result>(
  _ description: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) throws -> Result {
  { (_: repeat each Argument) in
    Unimplemented.report(description, fileID: fileID, filePath: filePath, line: line, column: column)
    throw Unimplemented(description)
  }
}

/// An asynchronous function that reports its use and throws ``Unimplemented``.
public func unimplemented<each Argument, Result>(
  _ description: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) -> @Sendable @concurrent (repeat each Argument) async throws -> Result {
  { (_: repeat each Argument) in
    Unimplemented.report(description, fileID: fileID, filePath: filePath, line: line, column: column)
    throw Unimplemented(description)
  }
}
