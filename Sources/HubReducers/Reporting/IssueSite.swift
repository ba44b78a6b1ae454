// Owns a position in a program's source: where to fix an issue that appears later, or deep in the library.

/// A line of the program that created something or called the library.
package struct IssueSite: Sendable {
  package var fileID: StaticString
  package var filePath: StaticString
  package var line: UInt
  package var column: UInt

  package init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  package func report(_ message: String) {
    reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The line of a test that is sending an action.
  @TaskLocal package static var caller: IssueSite?

  /// The program's current position, if known: in an effect, or in a test's call.
  static var surrounding: IssueSite? { EffectContext.current?.site ?? caller }
}

extension IssueSite: CustomStringConvertible {
  package var description: String { "\(fileID):\(line)" }
}

/// Reports an issue whose cause is elsewhere: at the running effect or the test's line, if there is one.
package func reportIssueOfCaller(
  _ message: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  let site =
    IssueSite.surrounding ?? IssueSite(fileID, filePath, line, column)
  site.report(message)
}
