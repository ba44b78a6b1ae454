// Passes a model's own dependencies on to what it creates.

/// Runs `operation` with the dependencies that `model` was made with, which its `@Dependency` properties keep.
///
/// A model without such a property is reported as an issue. Effects do not need this.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model, operation: () throws -> R, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) rethrows -> R {
  try withDependencies(
    from: model, { _ in }, operation: operation, fileID: fileID, filePath: filePath, line: line,
    column: column)
}

/// Runs `operation` with the dependencies that `model` was made with and your changes to them.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model, _ update: (inout DependencyValues) throws -> Void, operation: () throws -> R,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) rethrows -> R {
  let site = IssueSite(fileID, filePath, line, column)
  return try withDependencies {
    $0 = $0.backing(model, at: site)
    try update(&$0)
  } operation: {
    try operation()
  }
}

/// Runs an asynchronous `operation` with the dependencies that `model` was made with, on the caller's isolation.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model, isolation: isolated (any Actor)? = #isolation, operation: () async throws -> R,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) async rethrows -> R {
  try await withDependencies(
    from: model, isolation: isolation, { _ in }, operation: operation, fileID: fileID, filePath: filePath,
    line: line, column: column)
}

/// Runs an asynchronous `operation` with the dependencies that `model` was made with and your changes to them, on the caller's isolation.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
  from model: Model, isolation: isolated (any Actor)? = #isolation,
  _ update: (inout DependencyValues) async throws -> Void, operation: () async throws -> R,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) async rethrows -> R {
  let site = IssueSite(fileID, filePath, line, column)
  return try await withDependencies {
    $0 = $0.backing(model, at: site)
    try await update(&$0)
  } operation: {
    try await operation()
  }
}

/// A property that remembers the dependencies it was made with.
protocol DependencyHolder {
  var initialDependencies: DependencyValues { get }
}

extension Dependency: DependencyHolder {}

extension DependencyValues {
  /// These dependencies, on top of the model's own.
  fileprivate func backing(_ model: some AnyObject, at site: IssueSite) -> DependencyValues {
    var mirror: Mirror? = Mirror(reflecting: model)
    while let present = mirror {
      for child in present.children {
        if let holder = child.value as? any DependencyHolder { return backed(by: holder.initialDependencies) }
      }
      mirror = present.superclassMirror
    }
    site.report(
      """
      withDependencies(from:) needs a model with a @Dependency property, which remembers the dependencies that the model was \
      made with; \(type(of: model)) has none.
      """)
    return self
  }
}
