// A disk whose syncs a test holds and counts: a library that is preloaded into the hub.

import Glibc

/// Memory that the test and a process with `environment` share.
public final class SlowDisk: @unchecked Sendable {
  // Unchecked: its memory is only reached by the atomic counters of the library and by single aligned words here.
  private static let source = "\(checkout)/Tests/Fixtures/SlowDisk/slow.c"
  private let words: UnsafeMutablePointer<Int32>
  /// What a process gets whose disk this is.
  public let environment: [String: String?]

  public init(in directory: TemporaryDirectory) throws {
    let library = directory.file("slow.so")
    let compiler = try ChildProcess(
      "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-o", library, SlowDisk.source, "-ldl"],
      directory: directory)
    guard try compiler.wait() == .status(0) else { throw TestFailure(compiler.standardError) }
    let path = directory.file("slow-disk")
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard file >= 0, ftruncate(file, 4096) == 0,
      let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
    else { throw TestFailure("\(path): \(String(cString: strerror(errno)))") }
    words = memory.assumingMemoryBound(to: Int32.self)
    environment = ["LD_PRELOAD": library, "SLOW_DISK": path]
  }

  deinit { munmap(words, 4096) }

  /// While it is held, no sync ends.
  public func hold() { words[0] = 1 }
  public func release() { words[0] = 0 }

  /// How many syncs have begun so far.
  public var begun: Int32 { words[1] }

  /// Waits until one more sync has begun than `count`.
  public func waitForSync(after count: Int32) throws {
    let deadline = ContinuousClock.now + .seconds(longestWait)
    while begun <= count {
      if ContinuousClock.now > deadline { throw TestFailure("no sync has begun") }
      usleep(1000)
    }
  }
}
