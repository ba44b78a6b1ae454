// The ways of docs/backups.md, each run as the page shows it: a backup, changes that are lost, and the way back.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("The page on backups", .blocking)
struct BackupPageTests {
  private static let page = "docs/backups.md"

  /// A section with two blocks: how to back up, and how to go back.
  struct Way: Sendable, CustomTestStringConvertible {
    var heading: String
    /// The program that must be there.
    var program: String
    /// The state directory is a subvolume of btrfs.
    var isSubvolume = false
    /// The epoch goes on: only values are put back.
    var keepsEpoch = false
    var testDescription: String { heading }
  }

  static let ways = [
    Way(heading: "Dump and load", program: "statectl", keepsEpoch: true),
    Way(heading: "Copy the directory", program: "cp"),
    Way(heading: "rsync", program: "rsync"),
    Way(heading: "Snapshots", program: "btrfs", isSubvolume: true),
  ]

  /// The machine of the page: its directories, and the hub that its systemctl starts and stops.
  private final class Machine {
    let directory: TemporaryDirectory
    private(set) var hub: HubProcess?
    private var mount: String?
    let root: String

    init(isSubvolume: Bool) throws {
      directory = try TemporaryDirectory()
      root = directory.file("root")
      mkdir(directory.file("run"), 0o700)
      mkdir(root, 0o700)
      if isSubvolume {
        let image = directory.file("image")
        try shell("truncate -s 256M \(image); mkfs.btrfs -q \(image); mount -o loop \(image) \(root)")
        mount = root
      }
      try shell("mkdir -p \(root)/var/lib \(root)/backup")
      try shell(
        isSubvolume
          ? "btrfs -q subvolume create \(root)/var/lib/statehub" : "mkdir \(root)/var/lib/statehub")
      try shell("chmod 700 \(root)/var/lib/statehub")
    }

    deinit {
      hub?.kill()
      if let mount { try? shell("umount \(mount)") }
    }

    var control: Control { Control(directory: directory, socket: directory.file("run/hub.sock")) }

    func shell(_ script: String) throws {
      let result = try control.shell("set -e; \(script)")
      guard result.status == 0 else { throw TestFailure("\(script): \(result.errors)") }
    }

    func start() throws {
      hub = try HubProcess(
        in: directory, socket: directory.file("run/hub.sock"),
        arguments: [
          "--state-dir", "\(root)/var/lib/statehub",
          "--config", try directory.write("{ historyBytes: 1048576 }", to: "hub.json5"),
        ])
    }

    /// Runs the lines of a block.
    func run(_ block: PageBlock) throws {
      for line in block.lines {
        switch line {
        // Without the socket, a client would start the hub again.
        case "systemctl stop statehub.socket statehub": try hub?.terminate()
        case "systemctl start statehub": try start()
        default:
          try shell(
            line.replacing(" /var/", with: " \(root)/var/").replacing(" /backup", with: " \(root)/backup")
              .replacing("setpriv --reuid=statehub --regid=statehub --clear-groups ", with: ""))
        }
      }
    }
  }

  private func blocks(of heading: String) throws -> [PageBlock] {
    let section = try #require(PageSection.all(of: Self.page).first { $0.heading == heading })
    return section.blocks.filter { $0.language == "sh" }
  }

  private func isThere(_ way: Way) throws -> Bool {
    let machine = try TemporaryDirectory()
    let control = Control(directory: machine, socket: machine.file("hub.sock"))
    guard try control.has(interpreter: way.program, for: way.heading) else { return false }
    if !way.isSubvolume { return true }
    // A file as a disk takes root, and a kernel that lets it.
    let probe =
      "truncate -s 256M image && mkfs.btrfs -q image && mkdir at && mount -o loop image at && umount at"
    if geteuid() == 0, try control.shell("cd \(machine.path) && \(probe)").status == 0 { return true }
    print("NOT TRIED: no file can be mounted here for \(way.heading)")
    return false
  }

  @Test(
    "every way of the page works, and what clients saw afterwards does not count any more", arguments: ways)
  func everyWay(way: Way) throws {
    guard try isThere(way) else { return }
    let blocks = try blocks(of: way.heading)
    try #require(blocks.count == 2)
    let machine = try Machine(isSubvolume: way.isSubvolume)
    try machine.start()
    let control = machine.control
    try control.perform("create", "level", "--type", "integer", "--minimum", "0")
    try control.perform("set", "level", "1")
    try control.perform("set", "sure", "1")
    try machine.run(blocks[0])
    for value in 2...30 { try control.perform("set", "level", "\(value)") }
    let bookmark = try control.run("watch", "-1", "level", "--format", "{bookmark}").output.dropLast()
    let parts = bookmark.split(separator: ":").map(String.init)
    try machine.run(blocks[1])
    #expect(try control.run("get", "level", "sure").output == "level\t1\nsure\t1\n")
    #expect(try control.run("set", "level", "--", "-1").status == 6, "its rules are back")
    #expect(try control.run("set", "level", "7", "--if-revision", parts[1]).status == 5)
    #expect(try control.run("set", "level", "7", "--if-revision", String(bookmark)).status == 5)
    let now = try control.run("watch", "-1", "level", "--format", "{bookmark}").output.dropLast()
    #expect(now.hasPrefix(parts[0]) == way.keepsEpoch)
    #expect(
      try control.run("lock", "gate", "--", "sh", "-c", "test $STATEHUB_FENCE -gt \(parts[1])").status == 0)
    guard !way.keepsEpoch else { return }
    let since = try control.run("watch", "-1", "level", "--since", String(bookmark))
    #expect(since.status == 6, "\(since)")
    let shown = try #require(
      PageBlock.all(of: Self.page).first { $0.language == "text" && $0.text.contains("new epoch") })
    for line in shown.lines { #expect(machine.hub?.reports(line) == true, "\(line)") }
  }

  @Test("the command of the page begins a new epoch, which a start alone would not")
  func newEpoch() throws {
    let machine = try Machine(isSubvolume: false)
    try machine.start()
    func epoch() throws -> Epoch? { try machine.hub?.connect().welcome?.epoch }
    try machine.control.perform("set", "level", "1")
    let first = try epoch()
    let block = try #require(try blocks(of: "Begin a new epoch").first)
    try machine.run(
      PageBlock(
        page: block.page, line: block.line, language: block.language,
        lines: block.lines.filter { !$0.contains("new-epoch") }))
    #expect(try epoch() == first)
    try machine.run(block)
    #expect(try epoch() != first)
    #expect(try machine.control.run("get", "level").output == "1\n")
  }

  @Test(
    "a copy of a running hub's directory is taken whole, or refused and repaired, and never has wrong values")
  func whileRunning() throws {
    for _ in 0..<5 {
      let machine = try Machine(isSubvolume: false)
      try machine.start()
      let client = try #require(try machine.hub?.connect())
      let copying = try machine.control.startShell(
        "cp -a \(machine.root)/var/lib/statehub \(machine.root)/backup/statehub")
      var last: Int64 = 0
      while copying.poll(milliseconds: 0) == nil {
        last += 1
        _ = try client.call(.write(.set(.name(try StoreName("count")), .integer(last))))
      }
      try machine.hub?.terminate()
      try machine.shell(
        "rm -r \(machine.root)/var/lib/statehub; mv \(machine.root)/backup/statehub \(machine.root)/var/lib/")
      var isWhole = true
      do {
        try machine.start()
      } catch {
        isWhole = false
        try machine.shell("statehub repair \(machine.root)/var/lib/statehub")
        try machine.start()
      }
      let found = try machine.control.run("get", "count", "--default", "0").output.dropLast()
      let value = try #require(Int64(found), "\(found)")
      #expect((0...last).contains(value))
      if isWhole { #expect(machine.hub?.reports("a new epoch begins") == true) }
    }
  }
}
