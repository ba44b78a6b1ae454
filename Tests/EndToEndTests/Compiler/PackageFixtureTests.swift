// The library as a dependency: a package that has nothing but this checkout's path builds with it and runs.

import HubClient
import TestSupport
import Testing

@Suite("A package that depends on this one", .blocking)
struct PackageFixtureTests {
  @Test("builds with `import HubClient`, and its program follows a store of a real hub")
  func builds() async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let volume = hub.hub().value("audio.volume", of: Int.self)
    try await volume.set(4)
    // Its output is a file, which would be written when the program ends: it never does.
    let example = try ChildProcess(
      "/usr/bin/env", ["stdbuf", "-oL", try await FixturePackage.built("Example")],
      environment: ["STATEHUB_SOCKET": hub.socket], directory: directory)
    try await example.shows { $0 == "volume: 5\n" }
    #expect(try await volume.get() == 5)
  }
}
