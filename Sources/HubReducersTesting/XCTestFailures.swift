// Owns failing the running XCTest test, and detecting whether there is one.

import HubReducers
import Synchronization

#if canImport(XCTest)
  import XCTest

  enum XCTestFailures {
    /// XCTest is not made for several threads, and effects report from any.
    private static let turn = Mutex(())
    private static let witness = Witness()
    private static let isWatching: Void = XCTestObservationCenter.shared.addTestObserver(witness)

    /// Fails the running test. Returns whether there is one, because XCTest ignores failures outside tests.
    static func record(_ issue: ReportedIssue) -> Bool {
      turn.withLock { _ in
        isWatching
        let before = witness.failures
        if let site = issue.site {
          XCTFail(issue.message, file: site.filePath, line: site.line)
        } else {
          XCTFail("\(issue.place): \(issue.message)")
        }
        return witness.failures != before
      }
    }

    /// Counts the failures that XCTest notices, which it reports before `XCTFail` returns.
    private final class Witness: XCTestObservation, Sendable {
      private let count = Atomic(0)

      var failures: Int { count.load(ordering: .relaxed) }

      func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?,
        atLine lineNumber: Int
      ) {
        count.add(1, ordering: .relaxed)
      }
    }
  }
#else
  enum XCTestFailures {
    static func record(_ issue: ReportedIssue) -> Bool { false }
  }
#endif
