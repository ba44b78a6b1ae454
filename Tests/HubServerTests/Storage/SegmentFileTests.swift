// What is written to a segment's file besides records: the room ahead of them, and zeroes over what failed.

import Glibc
import HubCore
import HubSystem
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("A segment's file", .blocking)
struct SegmentFileTests {
  private let directory: TemporaryDirectory
  private let disk = RememberingDisk()
  private let file: Int32

  /// Of the size at which zeroes are written at once.
  private static let part = 64 << 10

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    file = try disk.disk.create(directory.file("file"), .segmentCreate).release()
    _ = [UInt8](repeating: 7, count: 1000).withByteView { disk.disk.write($0, to: file, at: 0, .append) }
  }

  private var bytes: [UInt8] { Array(readFile(directory.file("file")).utf8) }

  private var isSynced: Bool { if case .sync? = disk.events.last { true } else { false } }

  @Test("room is made with zeroes up to where it was asked for, over no record, and is left to the next sync")
  func preparing() {
    defer { close(file) }
    let problem = SegmentFile.prepare(file, from: 500, to: 3 * SegmentFileTests.part, disk: disk.disk) {
      $1(1000)
    }
    #expect(problem == nil && !isSynced)
    #expect(
      bytes == [UInt8](repeating: 7, count: 1000)
        + [UInt8](repeating: 0, count: 3 * SegmentFileTests.part - 1000))
  }

  @Test("a file that is no longer written to is given no more room")
  func over() {
    defer { close(file) }
    var isOver = false
    let problem = SegmentFile.prepare(file, from: 1000, to: 5 * SegmentFileTests.part, disk: disk.disk) {
      _, body in
      defer { isOver = true }
      return body(isOver ? nil : 1000)
    }
    #expect(problem == nil && !isSynced)
    #expect(bytes.count == 1000 + SegmentFileTests.part)
  }

  @Test("what a failed write left behind is gone up to its last byte", arguments: [1, 2, 9, part, part + 1])
  func clearing(length: Int) {
    defer { close(file) }
    _ = [UInt8](repeating: 9, count: length).withByteView {
      disk.disk.write($0, to: file, at: 1000, .append)
    }
    #expect(SegmentFile.clear(file, from: 1000, disk: disk.disk) == nil)
    #expect(bytes == [UInt8](repeating: 7, count: 1000) + [UInt8](repeating: 0, count: length))
  }
}
