// Reading and writing: what came of it.

import HubSystem
import TestSupport
import Testing

@Suite("System: transfers", .blocking)
struct TransferTests {
  @Test("a read brings what there is, and then says whether more can come")
  func pipe() throws {
    var pipe = try Pipe()
    Descriptor.setNonblocking(pipe.reading.raw)
    var room = [UInt8](repeating: 0, count: 8)
    func read() -> Transfer { room.withUnsafeMutableBytes { Descriptor.read(pipe.reading.raw, into: $0) } }
    #expect(read() == .wouldBlock)
    [1, 2, 3].withUnsafeBytes { #expect(Descriptor.writeAll($0, to: pipe.writingEnd) == nil) }
    #expect(read() == .bytes(8))
    #expect(Descriptor.readOnce(pipe.reading.raw, limit: 100).count == 16)
    pipe.closeWriting()
    #expect(isClosedAtOtherEnd(pipe.reading.raw))
    #expect(read() == .ended)
    #expect(Descriptor.readOnce(pipe.reading.raw, limit: 100).isEmpty)
  }

  @Test("what is written to nobody fails, and says so")
  func failure() throws {
    let file = try Descriptor(opening: "/dev/null")
    let result = [UInt8](repeating: 1, count: 4).withUnsafeBytes { Descriptor.write($0, to: file.raw) }
    #expect(result == .failed(.badDescriptor))
    #expect(result.count == nil)
    #expect(Transfer.wouldBlock.count == 0 && Transfer.ended.count == nil && Transfer.bytes(3).count == 3)
  }

  @Test("more than a pipe takes is written as soon as it is read")
  func long() throws {
    var pipe = try Pipe()
    Descriptor.setNonblocking(pipe.writingEnd)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let end = pipe.writingEnd
    let writer = try SystemThread.start {
      bytes.withUnsafeBytes { #expect(Descriptor.writeAll($0, to: end) == nil) }
    }
    var read: [UInt8] = []
    while read.count < bytes.count { read += Descriptor.readOnce(pipe.reading.raw, limit: 70_000) }
    writer.join()
    pipe.closeWriting()
    #expect(read == bytes)
  }

  @Test("a file is written and read at an offset, and its end is no failure")
  func file() throws {
    let directory = try TemporaryDirectory()
    let file = try Descriptor(opening: directory.file("f"), [.readAndWrite, .create])
    [UInt8(1), 2, 3].withUnsafeBytes { #expect(File.write($0, to: file.raw, at: 5) == nil) }
    var room = [UInt8](repeating: 9, count: 4)
    #expect(room.withUnsafeMutableBytes { File.read(file.raw, at: 4, into: $0) } == .bytes(4))
    #expect(room == [0, 1, 2, 3])
    #expect(room.withUnsafeMutableBytes { File.read(file.raw, at: 8, into: $0) } == .ended)
    #expect(File.sync(file.raw) == nil)
    #expect(try File.contents(of: directory.file("f"), limit: 7) == [0, 0, 0, 0, 0, 1, 2])
    let other = try Descriptor(opening: directory.file("f"))
    [UInt8(1)].withUnsafeBytes { #expect(File.write($0, to: other.raw, at: 0) == .badDescriptor) }
  }
}
