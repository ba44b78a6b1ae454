// Owns the one door through which the library tells a programmer about a mistake in a program.
// It never throws, never stops the program, and knows no test framework.

/// Tells the programmer about a misuse: a failure in a test, one line on standard error elsewhere.
///
/// The location is the place to repair, so functions that report pass on their caller's.
public func reportIssue(
  _ message: @autoclosure () -> String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) {
  IssueReporter.current.report(
    ReportedIssue(
      message: message(), fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column)))
}

/// A misuse that the library noticed, and the line of the program that caused it.
public struct ReportedIssue: Sendable, Hashable {
  public var message: String
  public var fileID: String
  public var filePath: String
  public var line: Int
  public var column: Int

  public init(message: String, fileID: String, filePath: String, line: Int, column: Int) {
    self.message = message
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}
