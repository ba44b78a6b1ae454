// A hub whose program is replaced by another release's, and back, under load. `Tools/release/run COMMIT` builds the other release;
// without it the other program is a second copy of this one.

import CLinux
import Foundation
import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Another release", .blocking)
struct ReleaseTests {
  /// Tells one file from every other.
  private func identity(of path: String) throws -> [UInt64] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw TestFailure("\(path): \(String(cString: strerror(errno)))") }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  private static let other =
    ProcessInfo.processInfo.environment["STATEHUB_OTHER_RELEASE"] ?? ChildProcess.built("statehub")

  @Test(
    "takes over by a reload under load, and hands back: no connection ends, no write is lost, no change is missed",
    arguments: ["volatile", "relaxed"])
  func thereAndBack(keeping: String) throws {
    let directory = try TemporaryDirectory()
    let installed = directory.file("statehub")
    let programs = [
      try directory.copy(Self.other, to: "other"),
      try directory.copy(ChildProcess.built("statehub"), to: "this"),
    ]
    func install(_ program: String) throws {
      // As an installation does: a new file under the name.
      rename(try directory.copy(program, to: "new"), installed)
    }
    try install(programs[0])
    let state = directory.file("state")
    let hub = try HubProcess(
      installed, in: directory,
      arguments: keeping == "volatile" ? ["--volatile"] : ["--state-dir", state])
    let administrator = try hub.connect(name: "operator")
    try administrator.write(.set("before", .string("all of them")))
    let traffic = try Traffic(at: hub.socket, writers: 4, followers: 20)
    for round in 1...10 {
      try install(programs[round % 2])
      try traffic.write(40)
      let request = try administrator.send(.reload)
      try traffic.write(40)
      let reply = try administrator.reply(to: request)
      guard case .reloaded = reply else {
        throw TestFailure("round \(round): \(reply); \(hub.standardError)")
      }
      try traffic.readReplies()
      try traffic.readEvents()
      #expect(try identity(of: "/proc/\(hub.pid)/exe") == identity(of: installed), "round \(round)")
    }
    #expect(try administrator.value(of: "before") == .string("all of them"))
    #expect(hub.process.poll(milliseconds: 0) == nil)
  }
}
