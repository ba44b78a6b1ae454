// What a test helper throws when something did not happen: a sentence for the test's report.

public struct TestFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
