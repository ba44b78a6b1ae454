// What a command that statectl starts can do with the connections of statectl: on none of its own descriptors anything, and on those
// that it takes from statectl's processes nothing that changes a store.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("A command of statectl's gets no rights from it", .blocking)
struct StatectlRestrictionTests {
  private let bench: Bench
  private let control: Control

  init() throws {
    bench = try Bench()
    control = bench.control
    try control.perform("set", "a", "1")
  }

  /// Tries to set a store.
  ///
  /// - Parameter looksElsewhere: also through the descriptors of its parent and its siblings.
  private func command(looksElsewhere: Bool) -> String {
    "\(ChildProcess.built("HubWorker")) steal '\(control.socket)' stolen \(looksElsewhere ? 1 : 0)"
  }

  /// How many connections the command had by itself, and how many it has taken.
  private func counts(_ output: String) -> [Int] { output.split { $0.isWhitespace }.compactMap { Int($0) } }

  @Test(
    "none of its descriptors is a connection, and those that it takes from statectl's processes change nothing",
    arguments: Starting.allCases)
  func taken(verb: Starting) throws {
    let monitor = try bench.hub.connect()
    let filter = MonitorFilter(pattern: try NamePattern("stolen"))
    _ = try monitor.call(.monitor(filter))
    // Replies that statectl has not asked for may end it with any status.
    // An elected one would run its command again and again.
    let looksElsewhere = verb != .elect
    let result = try control.shell(verb.line(command(looksElsewhere: looksElsewhere)))
    let found = counts(result.output)
    try #require(found.count == 2, "\(result)")
    #expect(found[0] == 0)
    // A process without privileges may not look into its parent everywhere.
    if geteuid() == 0 { #expect((found[1] > 0) == looksElsewhere) }
    var records: [MonitorRecord] = []
    while records.count < 2 * found[1] {
      guard case .monitored(let page) = try monitor.call(.monitor(filter)) else {
        throw TestFailure("no page")
      }
      records += page.records
    }
    for record in records { #expect(record.code == HubError.Code.denied.rawValue, "\(record.error)") }
    #expect(try control.run("get", "stolen").status == 4)
  }

  @Test("the command that decides on writes, and the one that publishes, find no connection")
  func provider() throws {
    let trying = command(looksElsewhere: false)
    let script = try bench.directory.write("\(trying) >&2; echo live; exec sleep 3600", to: "publish")
    let provider = try control.startShell(
      "exec statectl provide 'dev.*' --publish 'sh \(script)' -- \(trying)")
    defer { provider.kill() }
    while try !control.run("claims").output.contains(" live ") {}
    // What the command prints is not an integer, and refuses the write.
    let refused = try control.run("set", "dev.x", "5")
    #expect(refused.status == 6 && refused.errors.contains("0 0"), "\(refused.errors)")
    #expect(counts(provider.standardError) == [0, 0])
  }

  @Test("a lock whose connection is restricted outlives an upgrade, and is lost with its store")
  func lost() throws {
    let holder = try control.start(
      "lock", "l", "--grace", "1m", "--", "sh", "-c", "echo held; exec sleep 3600")
    _ = try holder.lines(1)
    #expect(try control.run("get", "l").status == 0)
    try bench.upgrade()
    #expect(try control.run("get", "l").status == 0)
    try control.perform("remove", "l")
    #expect(try holder.status() == 11)
  }
}
