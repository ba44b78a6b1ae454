// Disks for tests: one that fails or stops at a step, and one that records its calls, to simulate power failures.

import Glibc
import HubCore
import HubSystem
import Synchronization
import TestSupport

@testable import HubEngine
@testable import HubServer

/// Makes a step fail, or makes it the disk's last.
final class FaultyDisk: DiskWitness {
  enum Fault: Sendable {
    /// From the step's nth time on, nothing reaches the disk: the hub was killed.
    case crash(Failpoint, nth: Int)
    case error(Failpoint, Int32)
    /// The first half of the write succeeds, then it fails.
    case part(Failpoint, Int32)
  }

  private struct State {
    var fault: Fault?
    var count = 0
    var isCrashed = false
    var seen: Set<Failpoint> = []
  }

  private let state: Mutex<State>

  init(_ fault: Fault? = nil) { state = Mutex(State(fault: fault)) }

  var disk: Disk {
    var disk = Disk()
    disk.witness = self
    return disk
  }

  var isCrashed: Bool { state.withLock { $0.isCrashed } }
  var seen: Set<Failpoint> { state.withLock { $0.seen } }

  /// From now on every step succeeds.
  func mend() { state.withLock { $0.fault = nil } }
  func begin(_ fault: Fault) { state.withLock { $0.fault = fault } }

  func willPerform(_ operation: DiskOperation, at point: Failpoint) -> Int32? {
    state.withLock { state in
      state.seen.insert(point)
      if state.isCrashed { return EIO }
      switch state.fault {
      case .crash(point, let nth)?:
        state.count += 1
        if state.count < nth { return nil }
        state.isCrashed = true
        return EIO
      case .error(point, let code)?: return code
      case .part(point, let code)?:
        if case .write(let file, let offset, let bytes) = operation {
          _ = pwrite(file, bytes, bytes.count / 2, off_t(offset))
        }
        return code
      default: return nil
      }
    }
  }

  func didPerform(_ operation: DiskOperation, at point: Failpoint, file: Int32) {}
}

/// Records every call, so that the directory can be rebuilt as a power failure at any time may have left it.
final class RememberingDisk: DiskWitness {
  enum Event: Sendable {
    case create(path: String, file: Int)
    case write(file: Int, offset: Int, bytes: [UInt8])
    case sync(file: Int)
    case rename(from: String, to: String)
    case unlink(path: String)
    case syncDirectory
  }

  private struct State {
    var events: [Event] = []
    /// The files behind descriptors; a descriptor may be used for another file later.
    var files: [Int32: Int] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  var disk: Disk {
    var disk = Disk()
    disk.witness = self
    return disk
  }

  var events: [Event] { state.withLock { $0.events } }
  var count: Int { state.withLock { $0.events.count } }

  func willPerform(_ operation: DiskOperation, at point: Failpoint) -> Int32? { nil }

  func didPerform(_ operation: DiskOperation, at point: Failpoint, file: Int32) {
    state.withLock { state in
      switch operation {
      case .create(let path):
        state.files[file] = state.next
        state.events.append(.create(path: path, file: state.next))
        state.next += 1
      case .write(let file, let offset, let bytes):
        if let number = state.files[file] {
          state.events.append(.write(file: number, offset: offset, bytes: bytes))
        }
      case .sync(let file):
        if let number = state.files[file] { state.events.append(.sync(file: number)) }
      case .rename(let from, let to): state.events.append(.rename(from: from, to: to))
      case .unlink(let path): state.events.append(.unlink(path: path))
      case .syncDirectory: state.events.append(.syncDirectory)
      case .makeDirectory: break
      }
    }
  }

  /// The files after the first `count` calls and a power failure: what was synced is there; of the rest any sectors, and
  /// any of the changes of names.
  static func remains(
    of events: ArraySlice<Event>, using random: inout SeededGenerator
  ) -> [String: [UInt8]] {
    var names: [String: Int] = [:]
    var unsyncedNames: [Event] = []
    var contents: [Int: [UInt8]] = [:]
    var unsynced: [Int: [(offset: Int, bytes: [UInt8])]] = [:]

    func apply(_ event: Event) {
      switch event {
      case .create(let path, let file): names[path] = file
      case .rename(let from, let to):
        if let file = names.removeValue(forKey: from) { names[to] = file }
      case .unlink(let path): names[path] = nil
      default: break
      }
    }
    func put(_ bytes: ArraySlice<UInt8>, at offset: Int, in file: Int) {
      var content = contents[file] ?? []
      if content.count < offset + bytes.count {
        content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
      }
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      contents[file] = content
    }
    for event in events {
      switch event {
      case .create, .rename, .unlink: unsyncedNames.append(event)
      case .write(let file, let offset, let bytes): unsynced[file, default: []].append((offset, bytes))
      case .sync(let file):
        for write in unsynced.removeValue(forKey: file) ?? [] {
          put(write.bytes[...], at: write.offset, in: file)
        }
      case .syncDirectory:
        for event in unsyncedNames { apply(event) }
        unsyncedNames = []
      }
    }
    // A change of a name is there or not; the file system keeps those of one directory in their order.
    for event in unsyncedNames.prefix(Int.random(in: 0...unsyncedNames.count, using: &random)) {
      apply(event)
    }
    let chance = Int.random(in: 0...10, using: &random)
    for file in unsynced.keys.sorted() {
      for write in unsynced[file]! {
        var offset = 0
        while offset < write.bytes.count {
          let sector = min(512 - (write.offset + offset) % 512, write.bytes.count - offset)
          if Int.random(in: 0..<10, using: &random) < chance {
            put(write.bytes[offset..<offset + sector], at: write.offset + offset, in: file)
          }
          offset += sector
        }
      }
    }
    return names.mapValues { contents[$0] ?? [] }
  }
}

/// Writes files into a directory that only this user can read.
func writeFiles(_ files: [String: [UInt8]], to directory: String) throws {
  mkdir(directory, 0o700)
  for (name, bytes) in files {
    let path = "\(directory)/\(name)"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TestFailure("\(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { write(file, $0.baseAddress! + done, bytes.count - done) }
      guard count > 0 else { throw TestFailure("\(path): \(String(cString: strerror(errno)))") }
      done += count
    }
  }
}

/// The state files of a running hub, as a kill would leave them: all from the same moment.
func standingFiles(in directory: String) throws -> [String: [UInt8]] {
  var last: [String: [UInt8]]?
  for _ in 0..<10_000 {
    // A file removed between the listing and its reading is from another moment.
    let files = try? stateFiles(in: directory)
    if let files, files == last { return files }
    last = files
  }
  throw TestFailure("\(directory) never stands still")
}

/// The state files of a directory.
func stateFiles(in directory: String) throws -> [String: [UInt8]] {
  var files: [String: [UInt8]] = [:]
  for name in try Directory.names(at: directory) {
    guard JournalFileName(name) != nil else { continue }
    let file = try MappedFile("\(directory)/\(name)", name: name)
    files[name] = file.bytes.array
  }
  return files
}
