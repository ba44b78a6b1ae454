// The second reader of the vectors, in Python: it runs the code on the protocol's page, and must agree.

import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct SecondReaderTests {
  private func check(_ root: String) throws -> (exit: ChildProcess.Exit, output: String) {
    let directory = try TemporaryDirectory()
    let script = "\(checkout)/Tests/Vectors/check.py"
    let process = try ChildProcess("/usr/bin/env", ["python3", script, root], directory: directory)
    let exit = try process.wait()
    return (exit, process.standardOutput + process.standardError)
  }

  @Test("the page's code makes of every script, name and pattern what the vectors say")
  func agreement() throws {
    let (exit, output) = try check(checkout)
    #expect(exit == .status(0), "\(output)")
    #expect(output.hasSuffix("steps\n"))
  }

  @Test(
    "a rule on the page that is wrong is noticed", .blocking,
    arguments: [
      ("if version <= store.version:", "if version < store.version:"),
      ("if revision < self.newest:", "if revision < 0:"),
      ("version - last - 1", "version - last"),
      ("if epoch != self.epoch:", "if False:"),
      (
        "<= (self.bookmark or 0) or number in self.gone:\n            return None                           # part",
        "<= 0:\n            return None #"
      ),
      ("if parts[0] == b\"**\":", "if parts[0] == b\"*\":"),
    ])
  func mutated(_ right: String, _ wrong: String) throws {
    let page = ProtocolPage.names.map { readFile("\(checkout)/docs/\($0).md") }.joined()
    let mutated = page.split(separator: right, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(mutated.count == 2, "the rule is no longer on the page")
    let directory = try TemporaryDirectory()
    let files = FileManager.default
    try files.createDirectory(atPath: directory.file("docs"), withIntermediateDirectories: false)
    try files.createSymbolicLink(
      atPath: directory.file("docs/vectors"), withDestinationPath: VectorFileTests.folder)
    try directory.write(mutated.joined(separator: wrong), to: "docs/protocol.md")
    #expect(try check(directory.path).exit == .status(1))
  }
}
