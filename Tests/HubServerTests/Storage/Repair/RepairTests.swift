// Repairing a state directory: what is kept, what a hub makes of it, and when nothing is done.

import CLinux
import Glibc
import HubCore
import HubSystem
import Synchronization
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Repair", .blocking)
struct RepairTests {
  private static let damaged = "journal-0000000000000003"

  /// A directory whose third journal has lost its last record.
  private final class Place {
    let directory: TemporaryDirectory
    let path: String
    let files: [String: [UInt8]]

    init() throws {
      directory = try TemporaryDirectory(inMemory: true)
      path = directory.file("state")
      var files = Dictionary(uniqueKeysWithValues: SampleDirectory.usual().files.map { ($0.name, $0.bytes) })
      let end = files[RepairTests.damaged]!.count
      files[RepairTests.damaged]![end - 9] ^= 1
      try writeFiles(files, to: path)
      self.files = files
    }
  }

  private func repair(_ path: String) throws -> Repair.Done {
    guard case .repaired(let done) = try Repair.run(path) else { throw TestFailure("nothing was repaired") }
    return done
  }

  @Test("what can be read becomes the directory's content, and a hub starts from it")
  func repaired() throws {
    let place = try Place()
    let done = try repair(place.path)
    #expect(done.problem.kind == .damaged && done.problem.file == RepairTests.damaged)
    #expect(done.stores == 3 && done.losses.count == 1 && done.orphans == 0 && done.abandoned == 0)
    #expect(try stateFiles(in: done.originals) == place.files)
    #expect(
      place.directory.names(in: "state").count { JournalFileName($0) != nil } == 2, "only what was written")
    let hub = try JournalHub(place.path)
    let content = hub.content()
    #expect(
      content.mapValues(\.value) == [
        "a.number": .integer(109), "a.text": .string("two"), "b.new": .boolean(true),
      ])
    hub.stop()
    withExtendedLifetime(place) {}
  }

  @Test("on a file system without hard links the original files are copied")
  func copied() throws {
    let place = try Place()
    let path = place.path
    let done = Mutex<Repair.Done?>(nil)
    try SystemThread.start {
      #if arch(x86_64)
        guard clinux_gain_no_privileges() == 0, clinux_hide_call(UInt32(SYS_link)) == 0 else { return }
      #endif
      guard clinux_gain_no_privileges() == 0, clinux_hide_call(UInt32(SYS_linkat)) == 0 else { return }
      if case .repaired(let outcome)? = try? Repair.run(path) { done.withLock { $0 = outcome } }
    }.join()
    let outcome = try #require(done.withLock { $0 })
    #expect(outcome.stores == 3)
    #expect(try stateFiles(in: outcome.originals) == place.files)
  }

  @Test("stores belong to whom they belonged, wherever they are written")
  func creators() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let hub = try JournalHub(path)
    let own = Schema(type: .integer, initial: .integer(1))
    #expect(try hub.engine.declare([(StoreName("hub.own"), own)], now: hub.now).isEmpty)
    for name in ["a.packed", "a.changed", "a.described"] { #expect(hub.set(name, 1) == .done(.relaxed)) }
    hub.snapshot()
    let more = Schema(type: .integer, initial: .integer(3), description: "later")
    #expect(hub.create("a.described", more) == .done(.relaxed))
    for name in ["a.changed", "a.written", "a.damaged"] { #expect(hub.set(name, 2) == .done(.relaxed)) }
    hub.stop()
    var files = try stateFiles(in: path)
    let segment = try #require(files.keys.filter { $0.hasPrefix("journal") }.max())
    let place = try #require(files[segment]!.firstRange(of: Array("a.damaged".utf8)))
    files[segment]![place.lowerBound] ^= 1
    try writeFiles(files, to: path)
    #expect(try repair(path).losses.count == 1)
    let again = try JournalHub(path)
    var creators: [String: AccessExplanation.Store] = [:]
    for name in again.content().keys {
      guard case .explained(let explanation)? = again.ask([.access(try StoreName(name))]).first else {
        continue
      }
      creators[name] = explanation.store
    }
    again.stop()
    let names = ["a.packed", "a.changed", "a.described", "a.written"]
    #expect(
      creators
        == [String: AccessExplanation.Store](
          uniqueKeysWithValues: names.map { ($0, .of(uid: 7)) } + [("hub.own", .ofHub)]))
  }

  @Test("a directory without damage is left as it is")
  func nothingWrong() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let files = Dictionary(uniqueKeysWithValues: SampleDirectory.usual().files.map { ($0.name, $0.bytes) })
    try writeFiles(files, to: directory.file("state"))
    guard case .nothingWrong = try Repair.run(directory.file("state")) else {
      throw TestFailure("it was repaired")
    }
    #expect(directory.names(in: "state").sorted() == files.keys.sorted())
    #expect(try stateFiles(in: directory.file("state")) == files)
  }

  @Test("a second repair keeps its originals beside those of the first")
  func again() throws {
    let place = try Place()
    let first = try repair(place.path)
    var later = try stateFiles(in: place.path)
    let snapshot = try #require(later.keys.first { $0.hasPrefix("snapshot") })
    later[snapshot]!.removeLast(8)
    try writeFiles(later, to: place.path)
    let second = try repair(place.path)
    #expect(
      first.originals == "\(place.path)/before-repair-1"
        && second.originals == "\(place.path)/before-repair-2")
    #expect(try stateFiles(in: first.originals) == place.files)
    #expect(try stateFiles(in: second.originals) == later)
  }

  @Test("originals that cannot be kept stop the repair, and nothing is changed")
  func unkept() throws {
    let place = try Place()
    let failure = #expect(throws: RepairFailure.self) {
      try Repair.run(place.path) { step in
        if case .writing = step { _ = rename(place.path, place.directory.file("elsewhere")) }
      }
    }
    #expect(failure?.description.hasPrefix("cannot create \(place.path)/before-repair-1") == true)
    #expect(try stateFiles(in: place.directory.file("elsewhere")) == place.files)
  }

  @Test("the files of a newer hub are not given up, whatever else is damaged")
  func newer() throws {
    let place = try Place()
    var later = SampleDirectory()
    later.begin(.journal, 9, format: JournalFileHeader.format + 1)
    try writeFiles([later.files[0].name: later.files[0].bytes], to: place.path)
    let failure = #expect(throws: RepairFailure.self) { try Repair.run(place.path) }
    #expect(failure?.description.contains("start the newer hub") == true)
    #expect(try stateFiles(in: place.path).filter { place.files[$0.key] != nil } == place.files)
  }

  @Test("progress tells every byte once, and no more often than once in a MiB and once in a file")
  func progress() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    var sample = SampleDirectory.usual()
    let blob = [UInt8](repeating: 0xA5, count: 100_000)
    sample.record { SampleDirectory.created("blob", 4, 42, .data(blob)).encode(into: &$0) }
    for step in 1...24 as ClosedRange<UInt64> {
      sample.record { SampleDirectory.change(4, 42 + step, 1 + step, .data(blob)).encode(into: &$0) }
    }
    var files = Dictionary(uniqueKeysWithValues: sample.files.map { ($0.name, $0.bytes) })
    let end = files[RepairTests.damaged]!.count
    files[RepairTests.damaged]![end - 9] ^= 1
    try writeFiles(files, to: directory.file("state"))
    var announced = 0
    var searched: [Int] = []
    _ = try Repair.run(directory.file("state")) { step in
      switch step {
      case .searching(let bytes): announced = bytes
      case .searched(let bytes): searched.append(bytes)
      case .checking, .writing: break
      }
    }
    #expect(announced == files.values.map(\.count).reduce(0, +) && announced > 2 << 20)
    #expect(searched.reduce(0, +) == announced)
    #expect(searched.count > files.count && searched.count <= files.count + announced >> 20)
  }
}
