// Which paths a confined hub keeps: directories of its own with what will be put there, and single files elsewhere.

import Glibc
import HubSystem
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("What a confined hub keeps", .blocking)
struct ConfinedPathsTests {
  private let directory: TemporaryDirectory
  private let home: String
  private let paths: ConfinedPaths
  private let socketAccess: Landlock.Access = [.read, .writeFiles, .makeFiles, .makeSockets, .removeFiles]

  init() throws {
    directory = try TemporaryDirectory()
    home = directory.file("home")
    for name in ["home", "home/config", "home/hub", "elsewhere"] { mkdir(directory.file(name), 0o700) }
    paths = ConfinedPaths(home: home)
  }

  private func kept(
    sockets: [String] = [], stateDirectory: String? = nil, configuration: String? = nil,
    program: String? = nil
  ) -> [ConfinedPath] {
    let all = paths.all(
      sockets: sockets, stateDirectory: stateDirectory, configurations: configuration.map { [$0] } ?? [],
      program: program,
      libraries: [])
    let common = paths.all(
      sockets: [], stateDirectory: nil, configurations: [], program: nil, libraries: [])
    return Array(all.dropFirst(common.count))
  }

  @Test(
    "a socket in a directory of the hub's own can have others beside it, elsewhere it can only be removed")
  func sockets() {
    #expect(kept(sockets: ["\(home)/hub/hub.sock"]) == [ConfinedPath("\(home)/hub", socketAccess)])
    #expect(kept(sockets: ["\(home)/hub.sock"]) == [ConfinedPath(home, .removeFiles)])
    #expect(kept(sockets: ["/tmp/hub.sock"]) == [ConfinedPath("/tmp", .removeFiles)])
    chmod("\(home)/hub", 0o770)
    #expect(kept(sockets: ["\(home)/hub/hub.sock"]) == [ConfinedPath("\(home)/hub", .removeFiles)])
  }

  @Test(
    "a configuration's directory is kept, the nearest one above it if that is missing, never a whole home")
  func configuration() throws {
    #expect(
      kept(configuration: "\(home)/config/hub.json5") == [ConfinedPath("\(home)/config", .readFiles)])
    #expect(
      kept(configuration: "\(home)/config/statehub/hub.json5") == [
        ConfinedPath("\(home)/config", .readFiles)
      ])
    #expect(kept(configuration: "\(home)/hub.json5") == [ConfinedPath("\(home)/hub.json5", .readFiles)])
    #expect(kept(configuration: "/hub.json5") == [ConfinedPath("/hub.json5", .readFiles)])
    try directory.write("{}", to: "elsewhere/hub.json5")
    symlink(directory.file("elsewhere/hub.json5"), "\(home)/config/link.json5")
    let resolved = try #require(File.resolved(directory.file("elsewhere")))
    #expect(
      kept(configuration: "\(home)/config/link.json5") == [
        ConfinedPath("\(home)/config", .readFiles), ConfinedPath(resolved, .readFiles),
      ])
  }

  @Test("a program's directory can be executed from, and a state directory written to")
  func program() {
    #expect(kept(program: "\(home)/hub/statehub") == [ConfinedPath("\(home)/hub", [.read, .execute])])
    #expect(kept(program: "\(home)/statehub") == [ConfinedPath("\(home)/statehub", [.read, .execute])])
    #expect(
      kept(stateDirectory: "\(home)/hub") == [
        ConfinedPath("\(home)/hub", [.read, .writeFiles, .makeFiles, .removeFiles, .truncate])
      ])
  }
}
