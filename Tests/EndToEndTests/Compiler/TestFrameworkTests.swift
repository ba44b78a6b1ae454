// Failures of test stores, and reports of the library, under each test framework and under none: in a package of its
// own, whose tests are wrong on purpose.

import FoundationEssentials
import TestSupport
import Testing

@Suite("Tests of a package that depends on this one", .blocking)
struct TestFrameworkTests {
  private struct Outcome {
    var exit: ChildProcess.Exit
    var output: String

    /// Whether a line tells of an error in a line of a file.
    func names(_ line: Line) -> Bool {
      output.split(separator: "\n").contains { $0.contains("\(line.file):\(line.number):") }
    }
  }

  private struct Line {
    var file: String
    var number: Int
  }

  private func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let process = try ChildProcess(
      try await FixturePackage.built(program), arguments, directory: directory)
    let exit = try await process.ended()
    return Outcome(exit: exit, output: process.standardOutput + process.standardError)
  }

  private func runXCTest(_ tests: String) async throws -> Outcome {
    try await run(FixturePackage.tests, ["CounterXCTests.\(tests)"])
  }

  private func runSwiftTesting(_ tests: String) async throws -> Outcome {
    try await run(
      FixturePackage.tests, ["--testing-library", "swift-testing", "--filter", "CounterTests.\(tests)"])
  }

  /// The line of a file that a comment in it marks.
  private func line(_ mark: String, in file: String) throws -> Line {
    let lines = readFile("\(FixturePackage.path)/\(file)").split(
      separator: "\n", omittingEmptySubsequences: false)
    let index = try #require(lines.firstIndex { $0.hasSuffix("// FAILS \(mark)") })
    return Line(file: String(file.split(separator: "/").last ?? ""), number: index + 1)
  }

  @Test("the tests that the documentation shows pass, under XCTest and under Swift Testing")
  func right() async throws {
    let xctest = try await runXCTest("CounterXCTests")
    #expect(
      xctest.exit == .status(0) && xctest.output.contains("Executed 2 tests, with 0 failures"), "\(xctest)")
    let testing = try await runSwiftTesting("CounterTests/")
    #expect(testing.exit == .status(0) && testing.output.contains("2 tests in 1 suite passed"), "\(testing)")
  }

  @Test("each XCTest test of a plain store has dependencies of its own, if its class says so")
  func isolation() async throws {
    let outcome = try await runXCTest("PlainStoreXCTests")
    #expect(outcome.exit == .status(0))
    #expect(outcome.output.contains("Executed 2 tests, with 0 failures"), "\(outcome)")
  }

  @Test(
    "a wrong XCTest test fails in its line, also if it runs alone",
    arguments: [
      "testWrongState", "testForgottenReceive", "testForgottenEffect", "testPlainStore", "testAnalytics",
    ])
  func xctest(name: String) async throws {
    let outcome = try await runXCTest("WrongXCTests/\(name)")
    #expect(outcome.exit == .status(1))
    #expect(outcome.names(try line(name, in: "Tests/CounterXCTests/WrongXCTests.swift")), "\(outcome)")
    #expect(outcome.output.contains("Executed 1 test, with 1 failure"), "\(outcome)")
  }

  @Test(
    "a wrong Swift Testing test fails in its line, also if it runs alone",
    arguments: ["wrongState", "plainStore"])
  func swiftTesting(name: String) async throws {
    let outcome = try await runSwiftTesting("WrongTests/\(name)")
    #expect(outcome.exit == .status(1))
    #expect(outcome.names(try line(name, in: "Tests/CounterTests/WrongTests.swift")), "\(outcome)")
    #expect(outcome.output.contains("1 test in 1 suite failed"), "\(outcome)")
  }

  @Test("a failure after the last test is told, and the process fails")
  func afterTheTests() async throws {
    let outcome = try await runXCTest("WrongXCTests/testAfterwards")
    #expect(outcome.exit == .status(1))
    #expect(
      outcome.names(try line("afterwards", in: "Tests/CounterXCTests/WrongXCTests.swift")), "\(outcome)")
    #expect(outcome.output.contains("with 0 failures"), "\(outcome)")
  }

  @Test("a failure in a program without tests is told, and the program fails at its end")
  func unattended() async throws {
    let right = try await run("Unattended", [])
    #expect(right.exit == .status(0) && right.output == "done\n", "\(right)")
    let wrong = try await run("Unattended", ["wrong"])
    #expect(wrong.exit == .status(1))
    #expect(wrong.output.hasPrefix("done\n"))
    #expect(wrong.names(try line("wrong", in: "Sources/Unattended/main.swift")), "\(wrong)")
  }
}
