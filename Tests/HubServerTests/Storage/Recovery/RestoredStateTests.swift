// A state that was put back from a copy, in every way in which people do it: noticed, said, and a new epoch.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("State directory: put back from a copy", .blocking)
struct RestoredStateTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    path = directory.file("state")
    mkdir(directory.file("run"), 0o700)
  }

  private func hub(boot: String = "11111111-1111-1111-1111-111111111111") throws -> HubProcess {
    try HubProcess(
      in: directory, socket: directory.file("run/hub.sock"), arguments: ["--state-dir", path],
      environment: ["STATEHUB_BOOT_ID": boot])
  }

  private func shell(_ script: String) throws {
    let shell = try ChildProcess("/bin/sh", ["-ec", script, "sh", path], directory: directory)
    #expect(try shell.wait() == .status(0), "\(script): \(shell.standardError)")
  }

  struct Way: Sendable, CustomTestStringConvertible {
    var name: String
    /// How the copy at `$1.copy` is put back at `$1`.
    var script: String
    var testDescription: String { name }
  }

  /// Without rsync its ways are played by what it does: new files for changed ones, or the changed ones in place.
  static let ways = [
    Way(name: "rm, cp -a", script: "rm -r $1; cp -a $1.copy $1"),
    Way(
      name: "rsync -a --delete",
      script: """
        for f in $1/*-*; do test -e $1.copy/${f##*/} || rm $f; done
        for f in $1.copy/*-*; do cmp -s $f $1/${f##*/} || { cp -a $f $1/.tmp; mv $1/.tmp $1/${f##*/}; }; done
        """),
    Way(
      name: "rsync -a --delete --inplace",
      script: """
        for f in $1/*-*; do test -e $1.copy/${f##*/} || rm $f; done
        for f in $1.copy/*-*; do cmp -s $f $1/${f##*/} || cat $f >$1/${f##*/}; done
        """),
    Way(
      name: "newer files removed, cp -a over",
      script: "for f in $1/*-*; do test -e $1.copy/${f##*/} || rm $f; done; cp -a $1.copy/. $1/"),
    Way(
      name: "newer files removed, tar --overwrite",
      script: """
        for f in $1/*-*; do test -e $1.copy/${f##*/} || rm $f; done
        tar -C $1.copy -cf - . | tar -C $1 --overwrite -xf -
        """),
    // Every file keeps its inode and its birth, and has the content that it had.
    Way(
      name: "snapshot or image of the disk",
      script: """
        for f in $1/*-*; do test -e $1.copy/${f##*/} || rm $f; done
        for f in $1.copy/*-*; do dd if=$f of=$1/${f##*/} status=none; done
        """),
  ]

  enum End: CaseIterable, Sendable { case stop, kill }

  /// Lives of a hub: the copy is made in the second, before its last writes, or between two.
  private func play(_ end: End, copyWhileRunning: Bool) throws -> (epoch: Epoch, bookmark: Revision) {
    let first = try hub()
    try first.connect().write(.set("a", .integer(1)))
    try first.terminate()
    if !copyWhileRunning { try shell("cp -a $1 $1.copy") }
    let second = try hub()
    let client = try second.connect()
    try client.write(.set("a", .integer(2)))
    if copyWhileRunning { try shell("cp -a $1 $1.copy") }
    for value in 10...30 { try client.write(.set("a", .integer(Int64(value)))) }
    let result = try client.write(.set("b", .integer(3)))
    if end == .stop { try second.terminate() } else { second.kill() }
    return (client.welcome!.epoch, result.revision)
  }

  @Test(
    "whichever way an old state is put back, a new epoch begins, and the log says why", arguments: ways,
    End.allCases)
  func putBack(way: Way, end: End) throws {
    for isRunning in [false, true] {
      try shell("rm -rf $1 $1.copy")
      let (epoch, lost) = try play(end, copyWhileRunning: isRunning)
      try shell(way.script)
      let hub = try hub()
      let client = try hub.connect()
      #expect(
        client.welcome?.epoch != epoch, "copied \(isRunning ? "while the hub ran" : "between two lives")")
      #expect(hub.reports("is a copy, or was restored from one"), "\(hub.standardError)")
      #expect(hub.reports("a new epoch begins"))
      #expect(try client.value(of: "a") == .integer(isRunning ? 2 : 1))
      let welcome = try #require(client.welcome)
      #expect(welcome.revision > lost, "no number that clients have seen is given out again")
      // And once only.
      let again = client.welcome?.epoch
      try client.write(.set("c", .integer(1)))
      hub.kill()
      let next = try self.hub()
      #expect(try next.connect().welcome?.epoch == again)
      next.kill()
    }
  }

  @Test("so it does if the newest segment was moved away", arguments: End.allCases)
  func newestMoved(end: End) throws {
    let (epoch, _) = try play(end, copyWhileRunning: false)
    try shell("mv $(ls -d $1/journal-* | tail -n 1) $1.newest")
    let hub = try hub()
    #expect(try hub.connect().welcome?.epoch != epoch)
    #expect(hub.reports("is a copy, or was restored from one"), "\(hub.standardError)")
  }

  @Test("so it does after a good end in another boot, and without a note in the runtime directory")
  func unknown() throws {
    let (epoch, _) = try play(.stop, copyWhileRunning: false)
    let second = try hub(boot: "22222222-2222-2222-2222-222222222222")
    let other = try second.connect().welcome?.epoch
    #expect(other != epoch)
    #expect(second.reports("the machine may have been restarted"), "\(second.standardError)")
    try second.terminate()
    try shell("rm $(dirname $1)/run/journal-end-*")
    let third = try hub(boot: "22222222-2222-2222-2222-222222222222")
    #expect(try third.connect().welcome?.epoch != other)
    #expect(third.reports("may be a copy"), "\(third.standardError)")
  }

  @Test("a note that another process truncates ends no hub: writes go on, and the next start finds no note")
  func truncatedNote() throws {
    let hub = try hub()
    let client = try hub.connect()
    let epoch = client.welcome?.epoch
    try client.write(.set("a", .integer(1)))
    try shell("for f in $(dirname $1)/run/journal-end-*; do : >$f; done")
    for number in 0..<3 { try client.write(.set("a", .integer(Int64(number)))) }
    #expect(try client.value(of: "a") == .integer(2))
    hub.kill()
    let next = try self.hub()
    let again = try next.connect()
    #expect(again.welcome?.epoch != epoch && next.reports("may be a copy"), "\(next.standardError)")
    #expect(try again.value(of: "a") == .integer(2))
  }

  @Test("a segment that another process truncates is noticed, and everything is stored again")
  func truncatedSegment() throws {
    let hub = try hub()
    let client = try hub.connect()
    for name in ["a", "b"] { try client.write(.set(name, .integer(1))) }
    try shell("for f in $1/journal-*; do : >$f; done")
    // At most 10 ms of writes may come before it is noticed.
    for _ in 0..<20_000 where !hub.standardError.contains("whose file was truncated") {
      _ = try? client.write(.set("a", .integer(2)))
    }
    #expect(hub.reports("persistent stores can be written to again"), "\(hub.standardError)")
    try client.write(.set("a", .integer(3)))
    hub.kill()
    let next = try self.hub()
    let again = try next.connect()
    #expect(try again.value(of: "a") == .integer(3) && again.value(of: "b") == .integer(1))
    next.kill()
  }

  @Test("what has only been looked at, and what ended as it is, stays in its epoch", arguments: End.allCases)
  func untouched(end: End) throws {
    let (epoch, revision) = try play(end, copyWhileRunning: true)
    let inspection = try ChildProcess(
      ChildProcess.built("statehub"), ["inspect", path], directory: directory)
    #expect(try inspection.wait() == .status(0))
    // The same bytes again are the same state.
    try shell(
      "cp -a $1 $1.same; for f in $1.same/*-*; do dd if=$f of=$1/${f##*/} conv=notrunc status=none; done")
    let hub = try hub()
    let welcome = try hub.connect().welcome
    #expect(welcome?.epoch == epoch && welcome?.revision ?? 0 >= revision)
    #expect(!hub.standardError.contains("epoch"), "\(hub.standardError)")
  }

  @Test(
    "a directory keeps its epoch under a link to it, and begins a new one when it has moved",
    arguments: End.allCases)
  func otherNames(end: End) throws {
    let (epoch, _) = try play(end, copyWhileRunning: false)
    func start(_ state: String) throws -> HubProcess {
      try HubProcess(
        in: directory, socket: directory.file("run/hub.sock"), arguments: ["--state-dir", state],
        environment: ["STATEHUB_BOOT_ID": "11111111-1111-1111-1111-111111111111"])
    }
    // As systemd shows the directory of a unit with DynamicUser=.
    try shell("mv $1 $1.private; ln -s $1.private $1")
    let moved = try start(path)
    let client = try moved.connect()
    let second = client.welcome?.epoch
    #expect(second != epoch)
    #expect(moved.reports("may be a copy"), "\(moved.standardError)")
    #expect(try client.value(of: "a") == .integer(30))
    if end == .stop { try moved.terminate() } else { moved.kill() }
    for name in ["\(path).private", path, "\(path)/."] {
      let hub = try start(name)
      #expect(try hub.connect().welcome?.epoch == second, "\(name)")
      if end == .stop { try hub.terminate() } else { hub.kill() }
    }
  }

  @Test("statehub new-epoch begins one by command, once, and keeps every value and version")
  func command() throws {
    let (epoch, last) = try play(.stop, copyWhileRunning: false)
    func newEpoch() throws -> ChildProcess {
      let process = try ChildProcess(
        ChildProcess.built("statehub"), ["new-epoch", path],
        environment: ["STATEHUB_BOOT_ID": "11111111-1111-1111-1111-111111111111"], directory: directory)
      try process.wait()
      return process
    }
    let command = try newEpoch()
    #expect(try command.wait() == .status(0), "\(command.standardError)")
    let hub = try hub()
    let client = try hub.connect()
    let welcome = try #require(client.welcome)
    #expect(
      welcome.epoch != epoch && command.standardOutput.contains("\(welcome.epoch)"),
      "\(command.standardOutput)")
    #expect(welcome.revision > last + 1 << 32, "above all that a lost history can have used")
    guard case .value(let state) = try client.call(.get("a")) else { throw TestFailure("no value") }
    #expect(state.value == .integer(30) && state.version == 23)
    let refused = try newEpoch()
    #expect(try refused.wait() == .status(1))
    #expect(refused.reports("process \(hub.pid) uses it"), "\(refused.standardError)")
    mkdir(directory.file("empty"), 0o700)
    let empty = try ChildProcess(
      ChildProcess.built("statehub"), ["new-epoch", directory.file("empty")], directory: directory)
    #expect(try empty.wait() == .status(0))
    #expect(directory.names(in: "empty").isEmpty, "nothing was made in it")
  }
}
