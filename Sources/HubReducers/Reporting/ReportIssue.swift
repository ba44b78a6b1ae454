// Owns the only way in which the library reports a programming mistake. It never throws, never stops the program, and
// is independent of test frameworks.

/// Reports a misuse to the programmer: a failure in a test, one line on standard error elsewhere.
///
/// The location is the line to fix, so functions that report should pass on their caller's location.
public func reportIssue(
  _ message: @autoclosure () -> String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) {
  let site = IssueSite(fileID, filePath, line, column)
  IssueReporter.current.report(ReportedIssue(message(), at: site))
}

/// Runs an operation, and reports what it throws instead of throwing it: `withErrorReporting { try save() }`.
/// - Returns: The operation's result; `nil` if it threw.
public func withErrorReporting<R>(
  _ message: @autoclosure () -> String = "", fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column, operation: () throws -> R
) -> R? {
  do {
    return try operation()
  } catch {
    report(error, message(), IssueSite(fileID, filePath, line, column))
    return nil
  }
}

/// Runs an asynchronous operation, and reports what it throws instead of throwing it.
/// - Returns: The operation's result; `nil` if it threw.
public func withErrorReporting<R>(
  _ message: @autoclosure () -> String = "", fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column, isolation: isolated (any Actor)? = #isolation,
  operation: () async throws -> R
) async -> R? {
  do {
    return try await operation()
  } catch {
    report(error, message(), IssueSite(fileID, filePath, line, column))
    return nil
  }
}

private func report(_ error: any Error, _ message: String, _ site: IssueSite) {
  site.report("\(message)\(message.isEmpty ? "" : ": ")\(error)")
}

/// A misuse that the library noticed, and the line of the program that caused it.
public struct ReportedIssue: Sendable {
  /// What is wrong, and what to do about it.
  public var message: String
  /// The module and file, such as `App/Counter.swift`.
  public var fileID: String
  /// The path of the file when it was compiled.
  public var filePath: String
  /// The line, counted from 1.
  public var line: Int
  /// The column, counted from 1.
  public var column: Int
  /// The same location as the compiler gave it, which XCTest requires.
  package private(set) var site: IssueSite?

  /// An issue at a position of the source.
  public init(message: String, fileID: String, filePath: String, line: Int, column: Int) {
    self.message = message
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  package init(_ message: String, at site: IssueSite) {
    self.init(
      message: message, fileID: "\(site.fileID)", filePath: "\(site.filePath)", line: Int(site.line),
      column: Int(site.column))
    self.site = site
  }
}

extension ReportedIssue: Hashable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.message == rhs.message && lhs.fileID == rhs.fileID && lhs.filePath == rhs.filePath
      && lhs.line == rhs.line && lhs.column == rhs.column
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(message)
    hasher.combine(fileID)
    hasher.combine(line)
    hasher.combine(column)
  }
}
