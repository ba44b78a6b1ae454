// A limit on the length of files, as `ulimit -f` sets it: it is an error of the disk like any other, and ends no hub.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite(
  "Limits on the length of files", .blocking,
  .enabled(if: !isThreadSanitized, "the thread sanitizer ends a process that may not write long files"))
struct FileSizeTests {
  /// A hub that may write files of so many KiB.
  private func start(_ place: DurablePlace, kilobytes: Int) throws -> ChildProcess {
    try place.directory.write("{}\n", to: "empty.json5")
    let words = [
      ChildProcess.built("statehub"), "--config", place.directory.file("empty.json5"), "--socket",
      place.socket,
      "--state-dir", place.state,
    ]
    return try ChildProcess(
      "/bin/sh", ["-c", "ulimit -f \(kilobytes * 2); exec \"$0\" \"$@\""] + words, directory: place.directory)
  }

  @Test(
    "a journal that may not become longer refuses writes for a while, continues in a new file, and loses nothing"
  )
  func whileRunning() throws {
    let place = try DurablePlace()
    let process = try start(place, kilobytes: 400)
    let client = try place.connect(to: process)
    var last: [Int: UInt8] = [:]
    var refusals = 0
    // Many times as much as a file may hold, in stores that fit into one.
    for round in 0..<400 {
      let value = Value.data([UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 10_000))
      let error = try client.set("s.\(round % 8)", value)
      if let error {
        refusals += 1
        #expect(error.code == .storageFailed && error.message.contains("File too large"), "\(error)")
        // The disk is tried again four times a second.
        try #require(process.poll(milliseconds: 20) == nil, "\(process.standardError)")
      } else {
        last[round % 8] = UInt8(truncatingIfNeeded: round)
      }
    }
    #expect(refusals > 0 && last.count == 8, "\(refusals) refusals")
    process.signal(SIGKILL)
    try process.wait()
    let next = try place.start()
    for (index, byte) in last {
      #expect(try next.value("s.\(index)") == .data([UInt8](repeating: byte, count: 10_000)))
    }
  }

  @Test(
    "a hub whose first segment may not be as long as it has to be serves what was acknowledged",
    arguments: [40, 4])
  func atStart(kilobytes: Int) throws {
    let place = try DurablePlace()
    let first = try place.start()
    try first.set("a", .integer(1))
    first.kill()
    let process = try start(place, kilobytes: kilobytes)
    let client = try place.connect(to: process)
    guard case .value(let state) = try client.call(.get(.name(try StoreName("a")))) else {
      throw TestFailure("a cannot be read")
    }
    #expect(state.value == .integer(1))
    #expect(try client.set("a", .integer(2))?.code == .storageFailed)
    #expect(place.files().allSatisfy { !$0.hasSuffix(".new") })
    // Somebody lifts the limit.
    let prlimit = try ChildProcess(
      "/usr/bin/env", ["prlimit", "--pid", "\(process.pid)", "--fsize=unlimited"], directory: place.directory)
    guard try prlimit.wait() == .status(0) else { return }
    let deadline = ContinuousClock.now + .seconds(120)
    while try client.set("a", .integer(3)) != nil {
      try #require(ContinuousClock.now < deadline, "\(process.standardError)")
      _ = process.poll(milliseconds: 20)
    }
    process.signal(SIGKILL)
    try process.wait()
    #expect(try place.start().value("a") == .integer(3))
  }
}
