// Units and apps in real control groups: what rules permit their programs, and what `clients` and `access` print about them.

import Glibc
import TestSupport
import Testing

@Suite("Units of clients", .blocking, .enabled(if: Groups.areAvailable))
struct StatectlUnitTests {
  private static let alice = "50031"

  private let directory: TemporaryDirectory
  private let groups: Groups
  private let hub: HubProcess
  private let control: Control

  init() throws {
    directory = try TemporaryDirectory()
    groups = try Groups()
    try directory.write(
      """
      {
        defaultAccess: "closed",
        access: [
          { match: "print.**", read: "unit:cups.service" },
          { match: "mine.**", read: "user-unit:\(Self.alice)/cups.service" },
          { match: "maps.**", read: "app:org.example.Maps" },
        ],
        stores: {
          "print.a": { type: "integer" }, "mine.a": { type: "integer" }, "maps.a": { type: "integer" },
        },
      }
      """, to: "hub.json5")
    hub = try HubProcess(in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    chmod(hub.socket, 0o666)
    chmod(directory.path, 0o755)
    control = Control(directory: directory, socket: hub.socket)
  }

  /// Runs a command of Alice's in a control group below that of the test.
  private func run(in group: String, _ command: String, sandbox: String = "") throws -> Control.Result {
    let path = try groups.make(group)
    return try control.shell(
      "echo $$ > \(path)/cgroup.procs && exec setpriv --reuid \(Self.alice) --regid \(Self.alice) --clear-groups "
        + "\(sandbox) \(command)")
  }

  /// The stores that a program in the group may read.
  private func readable(in group: String, sandbox: String = "") throws -> [String] {
    try ["print.a", "mine.a", "maps.a"].filter {
      try run(in: group, "statectl --timeout 2m get \($0)", sandbox: sandbox).status == 0
    }
  }

  private static let manager = "user@\(alice).service"

  @Test(
    "system units, user units and apps have the rights of their rules, and no other group passes for them")
  func rights() throws {
    #expect(try readable(in: "cups.service") == ["print.a"])
    #expect(try readable(in: "cups.service/inner") == ["print.a"])
    #expect(try readable(in: "\(Self.manager)/app.slice/cups.service") == ["mine.a"])
    #expect(try readable(in: "user@50032.service/cups.service") == [])
    #expect(try readable(in: "\(Self.manager)/app.slice/app-flatpak-org.example.Maps-1.scope") == ["maps.a"])
    #expect(try readable(in: "other.service/cups.service") == [])
  }

  @Test("a program in namespaces of its own, as Flatpak makes them, is the app of its scope")
  func sandbox() throws {
    try directory.write("[Application]\nname=org.example.Other\n", to: ".flatpak-info")
    let scope = "\(Self.manager)/app.slice/app-flatpak-org.example.Maps-2.scope"
    let sandbox = "unshare --user --map-current-user --mount --pid --fork --kill-child"
    #expect(try readable(in: scope, sandbox: sandbox) == ["maps.a"])
    let line = try run(in: scope, "statectl --timeout 2m clients --json", sandbox: sandbox).output
    #expect(line.contains(#""app":"org.example.Maps""#), "\(line)")
    #expect(line.contains(#""userUnit":"app-flatpak-org.example.Maps-2.scope""#), "\(line)")
  }

  @Test("clients shows the unit, whether rules need it or not; a reload applies rules to connected programs")
  func shown() async throws {
    let scope = "\(Self.manager)/app.slice/app-flatpak-org.example.Maps-3.scope"
    let path = try groups.make(scope)
    try directory.write("{ stores: { 'maps.a': { type: 'integer' } } }", to: "hub.json5")
    try control.perform("reload")
    let watch = try control.startShell(
      "echo $$ > \(path)/cgroup.procs && exec setpriv --reuid \(Self.alice) --regid \(Self.alice) --clear-groups "
        + "statectl --timeout 10m watch maps.a --json")
    try await watch.shows { $0.contains("maps.a") }
    let table = try control.run("clients").output
    #expect(table.contains("app:org.example.Maps") && table.contains("UNIT"), "\(table)")
    try directory.write(
      "{ defaultAccess: 'closed', stores: { 'maps.a': { type: 'integer', readers: 'app:org.example.Other' } } }",
      to: "hub.json5")
    try control.perform("reload")
    try await watch.shows { $0.contains(#""withdrawn":true"#) }
    try directory.write(
      "{ defaultAccess: 'closed', stores: { 'maps.a': { type: 'integer', readers: 'app:org.example.Maps' } } }",
      to: "hub.json5")
    try control.perform("reload")
    try control.perform("set", "maps.a", "77")
    try await watch.shows { $0.contains(#""value":77"#) }
  }

  @Test("access --as names programs, asked of the hub and of the configuration")
  func asked() throws {
    let words = ["access", "maps.a", "--as", "\(Self.alice),app:org.example.Maps"]
    let line = "\(Self.alice),app:org.example.Maps may read: yes, because of app:org.example.Maps"
    #expect(try control.run(words).output.contains(line))
    let process = try ChildProcess(
      ChildProcess.built("statehub"),
      ["access", "--config", directory.file("hub.json5")] + words.dropFirst(),
      directory: directory)
    #expect(try process.status() == 0 && process.standardOutput.contains(line), "\(process.standardError)")
    let own = try control.run("access", "maps.a", "--as", "unit:cups.service")
    #expect(own.output.contains("\(geteuid()),unit:cups.service may "), "\(own.output)")
    let wrong = try control.run("access", "maps.a", "--as", "unit:cups")
    #expect(wrong.status == 2 && wrong.errors.contains("such as unit:cups.service"), "\(wrong.errors)")
    #expect(try control.run("access", "maps.a", "--as", "a,b").status == 2)
  }
}

/// Control groups made by hand, in systemd's hierarchy if version 1 is mounted. Their names end with the test.
private final class Groups {
  private static let root = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup"].first {
    access("\($0)/cgroup.procs", W_OK) == 0
  }

  /// Whether this machine lets the tests make some, for another user's programs.
  static var areAvailable: Bool {
    guard geteuid() == 0, let probe = try? Groups() else { return false }
    return (try? probe.make("probe.scope")) != nil
  }

  private let base: String
  private var made: [String] = []

  init() throws {
    guard let root = Groups.root else { throw TestFailure("no control groups can be made") }
    base = "\(root)/statehub-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).slice"
    guard mkdir(base, 0o755) == 0 else { throw TestFailure("\(base) cannot be made") }
  }

  deinit {
    for path in made.reversed() { rmdir(path) }
    rmdir(base)
  }

  func make(_ group: String) throws -> String {
    var path = base
    for part in group.split(separator: "/") {
      path += "/\(part)"
      if mkdir(path, 0o755) == 0 {
        made.append(path)
      } else if errno != EEXIST {
        throw TestFailure("no \(path)")
      }
    }
    return path
  }
}
