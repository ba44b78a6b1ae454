// Files, directories and their names.

import CLinux
import Glibc
import HubSystem
import TestSupport
import Testing

@Suite("System: files", .blocking)
struct FileTests {
  private func status(_ path: String) throws -> FileStatus { try FileStatus(at: path, followsLinks: false) }

  @Test("a status says what a file is, with or without the link that leads to it")
  func kinds() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("four", to: "file")
    symlink(path, directory.file("link"))
    mkfifo(directory.file("pipe"), 0o600)
    #expect(try status(path).kind == .regular && status(path).size == 4)
    #expect(try status(path).owner == CurrentProcess.effectiveUser)
    #expect(try status(directory.path).kind == .directory)
    #expect(try status(directory.file("link")).kind == .link)
    #expect(try FileStatus(at: directory.file("link")) == status(path))
    #expect(try status(directory.file("pipe")).kind == .pipe)
    #expect(try status("/dev/null").kind == .device)
    #expect(throws: SystemError.noSuchFile) { try status(directory.file("none")) }
    let parent = try Descriptor(opening: directory.path, .directory)
    #expect(try FileStatus(of: "link", in: parent).kind == .link)
  }

  @Test("a status changes with the file, and its identity only with another file")
  func changes() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("f")
    let file = try Descriptor(opening: path, [.readAndWrite, .create])
    let before = try FileStatus(of: file.raw)
    #expect(before.permissions == 0o600 && before.names == 1)
    #expect(try status(path) == before)
    [UInt8(1)].withUnsafeBytes { _ = Descriptor.write($0, to: file.raw) }
    #expect(try status(path) != before)
    #expect(try status(path).identity == before.identity)
    #expect(File.link(path, as: directory.file("g")) == nil)
    #expect(try FileStatus(of: file.raw).names == 2)
    #expect(File.rename(directory.file("g"), to: directory.file("h")) == nil)
    #expect(File.remove(path) == nil)
    #expect(File.remove(path) == .noSuchFile)
    #expect(try FileStatus(of: file.raw).names == 1)
    let other = try Descriptor(opening: path, [.readAndWrite, .create])
    #expect(try FileStatus(of: other.raw).identity != before.identity)
    #expect(File.origin(of: other.raw).inode == (try FileStatus(of: other.raw).identity.inode))
  }

  /// Runs on a thread for which a system call does not exist.
  private func without(_ call: Int, _ body: @escaping @Sendable () -> Void) throws {
    try SystemThread.start {
      guard clinux_gain_no_privileges() == 0, clinux_hide_call(UInt32(call)) == 0 else {
        Issue.record("the call cannot be hidden")
        return
      }
      body()
    }.join()
  }

  @Test("a directory that cannot be synced need not be, whatever the system calls that")
  func unsyncedDirectories() throws {
    let directory = try TemporaryDirectory()
    let parent = try Descriptor(opening: directory.path, .directory).release()
    defer { Descriptor.close(parent) }
    try without(Int(SYS_fsync)) { #expect(File.syncDirectory(parent) == nil) }
    #expect(File.syncDirectory(-1) == .badDescriptor)
    for code in [EINVAL, ENOSYS, EOPNOTSUPP, ENODEV] { #expect(SystemError(code).isUnsupported) }
    for code in [EIO, ENOSPC, EROFS, EACCES, EPERM] { #expect(!SystemError(code).isUnsupported) }
  }

  @Test("a file's origin is unknown where the system does not tell")
  func noOrigin() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("", to: "f")
    try without(Int(SYS_statx)) {
      guard let file = try? Descriptor(opening: path) else {
        Issue.record("not opened")
        return
      }
      #expect(File.origin(of: file.raw) == (0, 0))
    }
  }

  @Test("names are listed in order, and told why not")
  func listing() throws {
    let directory = try TemporaryDirectory()
    for name in ["b", "a", ".c"] { try directory.write("", to: name) }
    #expect(try Directory.names(at: directory.path) == [".c", "a", "b"])
    let parent = try Descriptor(opening: directory.path, .directory)
    #expect(try Directory.names(in: parent) == [".c", "a", "b"])
    File.remove("a", in: parent)
    #expect(try Directory.names(in: parent) == [".c", "b"])
    #expect(throws: SystemError.noSuchFile) { try Directory.names(at: directory.file("none")) }
    #expect(File.linkTarget(of: "/proc/self/exe")?.isEmpty == false)
    #expect(File.linkTarget(of: directory.path) == nil)
  }

  @Test("a directory gets its mode, whatever sockets another thread binds meanwhile")
  func mask() async throws {
    let directory = try TemporaryDirectory()
    async let bound: Void = {
      for _ in 0..<500 {
        _ = try Socket.bound(to: directory.file("s"), mode: 0o600)
        File.remove(directory.file("s"))
      }
    }()
    for _ in 0..<500 {
      #expect(Directory.create(directory.file("d")) == nil)
      #expect(try status(directory.file("d")).permissions == 0o700)
      Directory.remove(directory.file("d"))
    }
    try await bound
  }

  @Test("a directory is made for its owner, or with the mode that is asked for")
  func making() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("d")
    #expect(Directory.create(path) == nil)
    #expect(try status(path).permissions == 0o700)
    #expect(Directory.create(path) == .exists)
    #expect(Directory.create(directory.file("e"), permissions: 0o755) == nil)
    #expect(try status(directory.file("e")).permissions == 0o755)
    let parent = try Descriptor(opening: path, .directory)
    #expect(File.syncDirectory(parent.raw) == nil)
    Directory.remove(path)
    #expect(throws: SystemError.noSuchFile) { try status(path) }
    let own = try Directory.createTemporary(directory.file("t."))
    #expect(try own.hasPrefix(directory.file("t.")) && status(own).kind == .directory)
  }

  @Test("a lock is ours, or names its holder")
  func locking() throws {
    let directory = try TemporaryDirectory()
    let file = try Descriptor(opening: directory.file("lock"), [.readAndWrite, .create])
    #expect(try FileLock.take(file.raw) == nil)
    // A lock never excludes its own process.
    #expect(try FileLock.take(file.raw, isShared: false) == nil)
    #expect(try FileLock.holder(of: file.raw) == nil)
    #expect(throws: SystemError.badDescriptor) { try FileLock.take(99_999) }
    let reader = try Descriptor(opening: directory.file("lock"))
    #expect(throws: SystemError.badDescriptor) { try FileLock.take(reader.raw) }
    #expect(try FileLock.take(reader.raw, isShared: true) == nil)
  }

  @Test("a sealed file in memory does not change any more")
  func sealing() throws {
    let file = try MemoryFile.create("test", canBeSealed: true)
    [UInt8(1), 2].withUnsafeBytes { #expect(Descriptor.writeAll($0, to: file.raw) == nil) }
    #expect(!MemoryFile.isSealed(file.raw))
    #expect(MemoryFile.seal(file) == nil)
    #expect(MemoryFile.isSealed(file.raw))
    [UInt8(3)].withUnsafeBytes { #expect(File.write($0, to: file.raw, at: 0) == .notPermitted) }
    File.rewind(file.raw)
    #expect(Descriptor.readOnce(file.raw, limit: 5) == [1, 2])
    #expect(MemoryFile.seal(try MemoryFile.create("test")) == .notPermitted)
  }

  @Test("a mapping shows the file's bytes, or zeroes that can be written to")
  func mapping() throws {
    let directory = try TemporaryDirectory()
    let file = try Descriptor(opening: try directory.write("hello", to: "f"))
    let mapping = try Mapping(reading: file.raw, count: 5)
    let isThere = mapping.populate()
    #expect(isThere)
    #expect(String(decoding: mapping.bytes, as: UTF8.self) == "hello")
    let room = try Mapping(reserving: 1 << 30)
    #expect(room.bytes[1 << 29] == 0)
    room.room[1 << 29] = 7
    #expect(room.bytes[1 << 29] == 7)
    #expect(throws: SystemError.badDescriptor) { _ = try Mapping(reading: 99_999, count: 5).count }
  }

  @Test("a shared mapping whose file another process has truncated is zeroes, while it is guarded")
  func truncated() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("hello", to: "f")
    let file = try Descriptor(opening: path, .readAndWrite)
    let mapping = try Mapping(sharing: file.raw, count: 5)
    mapping.guarded { mapping.base.storeBytes(of: UInt8(ascii: "j"), as: UInt8.self) }
    #expect(try File.contents(of: path, limit: 9) == Array("jello".utf8))
    truncate(path, 0)
    mapping.guarded {
      #expect(mapping.base.load(as: UInt8.self) == 0)
      mapping.base.storeBytes(of: 7, as: UInt8.self)
    }
    #expect(mapping.base.load(as: UInt8.self) == 7)
    #expect(try FileStatus(of: file.raw).size == 0)
  }

  @Test("a block keeps its bytes as it grows")
  func heap() {
    var block = Heap.resize(nil, to: 4)
    block.storeBytes(of: 0x1234_5678, as: UInt32.self)
    block = Heap.resize(block, to: 1 << 20)
    #expect(block.load(as: UInt32.self) == 0x1234_5678)
    Heap.free(block)
    Heap.free(nil)
  }
}
