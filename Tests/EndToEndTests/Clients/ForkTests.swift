// A program that forks with its connections open: the child cannot use them, harms none, and keeps none alive.

import Glibc
import HubClient
import TestSupport
import Testing

@Suite("A program that forks")
struct ForkTests {
  @Test(
    "a child of a fork is refused its parent's connections, leaves them as they are, and does not prolong them"
  )
  func forked() async throws {
    let directory = try TemporaryDirectory()
    let process = try HubProcess(in: directory)
    defer { withExtendedLifetime((directory, process)) {} }
    let hub = process.hub()
    let worker = try ChildProcess(
      ChildProcess.built("HubWorker"), ["fork", process.socket, "n", "7"], group: true, directory: directory)
    try await eventually("the child has written") { worker.standardOutput.contains("child: wrote") }
    try worker.wait()
    let lines = Set(worker.standardOutput.split(separator: "\n").map(String.init))
    #expect(
      lines == [
        "parent wrote 8, saw 8",
        "child: closed, the connection to \(process.socket) belongs to the process that forked this one: "
          + "create another in this process",
        "child: closed", "child: -1", "child: wrote",
      ], "\(worker.standardError)")
    // The child lives on: what ended with the parent's connection has ended.
    let child = try await hub.value("child", of: Int32.self).get()
    defer { kill(child, SIGKILL) }
    try await eventually("the parent's value has ended") {
      do {
        _ = try await hub.value("n", of: Int.self).get()
        return false
      } catch {
        return (error as? HubError)?.code == .noSuchStore
      }
    }
    #expect(kill(child, 0) == 0)
    #expect(try await hub.clients().count { $0.name == "worker" } == 0)
    worker.kill()
  }
}
