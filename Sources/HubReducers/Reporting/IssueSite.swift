// Owns a place in a program's source: where an issue that shows up later is to be repaired.

/// The line that made something which may turn out to be misused later.
struct IssueSite: Sendable {
  var fileID: StaticString
  var filePath: StaticString
  var line: UInt
  var column: UInt

  func report(_ message: String) {
    reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension IssueSite: CustomStringConvertible {
  var description: String { "\(fileID):\(line)" }
}
