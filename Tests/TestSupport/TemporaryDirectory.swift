// A directory of one test's own, with a path short enough for sockets. It is removed with its owner.

import FoundationEssentials
import Glibc
import Synchronization

public final class TemporaryDirectory: Sendable {
  public let path: String
  private let isKept = Atomic<Bool>(false)

  /// - Parameter inMemory: on a file system that has no disk to wait for, if there is one.
  public init(inMemory: Bool = false) throws {
    let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/statehub.XXXXXX".utf8CString)
    guard template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) != nil else {
      throw TestFailure("mkdtemp: \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    if !isKept.load(ordering: .relaxed) { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Lets it outlive the test, for somebody who wants to know what went wrong.
  ///
  /// - Returns: its path.
  public func keep() -> String {
    isKept.store(true, ordering: .relaxed)
    return path
  }

  /// The path of a file or socket in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of what is in one of its folders, in order; none if there is no such folder.
  public func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).sorted()
  }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: file(name)))
    return file(name)
  }

  /// Copies a file, with its mode, into it, by a process of its own: a process that another test starts meanwhile inherits
  /// this one's open files, and a file open for writing cannot be executed.
  ///
  /// - Returns: the path of the copy, which replaces what was there.
  public func copy(_ source: String, to name: String) throws -> String {
    let copy = try ChildProcess("/bin/cp", ["--remove-destination", source, file(name)], directory: self)
    guard try copy.wait() == .status(0) else { throw TestFailure("not copied: \(copy.standardError)") }
    return file(name)
  }
}
