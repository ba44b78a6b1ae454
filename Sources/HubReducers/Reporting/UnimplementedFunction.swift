// Owns functions that report their use, for the endpoints of clients that are written without `@DependencyClient`.

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
