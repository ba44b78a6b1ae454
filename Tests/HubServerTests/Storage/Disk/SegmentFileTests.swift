// What is written to a segment's file besides records: the room ahead of them.

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

  @Test(
    "room is reserved by zeroes up to where it was asked for, over no record, and is left to the next sync")
  func reserving() {
    defer { close(file) }
    #expect(SegmentFile.reserve(file, from: 1000, to: 3 * SegmentFileTests.part, disk: disk.disk) == nil)
    #expect(!isSynced)
    #expect(
      bytes == [UInt8](repeating: 7, count: 1000)
        + [UInt8](repeating: 0, count: 3 * SegmentFileTests.part - 1000))
  }
}
