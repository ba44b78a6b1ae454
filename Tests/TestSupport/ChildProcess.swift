// A child process of a test: spawned with its output in files, awaited without sleeping, killed with its owner.

import CLinux
import Glibc
import Synchronization

/// A program that was started by a test. Whatever happens to the test, the process ends with this object.
public final class ChildProcess: Sendable {
  /// How a process ended.
  public enum Exit: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  public let pid: Int32
  private let leadsGroup: Bool
  private let outputPath: String
  private let errorPath: String
  /// Readable once the process has ended.
  private let descriptor: Int32
  private let end: ChildEnd

  /// - Parameters:
  ///   - executable: its path; `ChildProcess.built` names one of this package's programs.
  ///   - environment: added to the test's own; nil removes a variable.
  ///   - input: a file that is its standard input.
  ///   - descriptors: what it gets as its descriptors from 3 on.
  ///   - group: it leads a process group, and what it has started ends with it, too.
  ///   - directory: where its output is kept.
  public init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String?] = [:],
    input: String = "/dev/null", descriptors: [Int32] = [], group: Bool = false,
    directory: TemporaryDirectory
  ) throws {
    leadsGroup = group
    let number = ChildProcess.counter.add(1, ordering: .relaxed).newValue
    outputPath = directory.file("process-\(number).stdout")
    errorPath = directory.file("process-\(number).stderr")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let writing = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, writing, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errorPath, writing, 0o600)
    // Above all numbers that they are to get, so that none overwrites another.
    let sources = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 3 + Int32(descriptors.count)) }
    defer { sources.forEach { close($0) } }
    for (number, source) in zip(Int32(3)..., sources) {
      posix_spawn_file_actions_adddup2(&actions, source, number)
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3 + Int32(descriptors.count))
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (group ? POSIX_SPAWN_SETPGROUP : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    var variables = ChildProcess.environment(with: environment).map { strdup($0) } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var pid: pid_t = 0
    let problem = posix_spawn(&pid, executable, &actions, &attributes, &words, &variables)
    guard problem == 0 else {
      throw TestFailure("cannot start \(executable): \(String(cString: strerror(problem)))")
    }
    self.pid = pid
    descriptor = clinux_pidfd_open(pid)
    end = ChildEnd(pid: pid)
    end.takeWhenItComes()
  }

  deinit {
    kill()
    close(descriptor)
  }

  private static let counter = Atomic<Int>(0)

  private static func environment(with changes: [String: String?]) -> [String] {
    var lines: [String] = []
    var next = environ
    while let variable = next.pointee {
      let line = String(cString: variable)
      if !changes.keys.contains(where: { line.hasPrefix("\($0)=") }) { lines.append(line) }
      next += 1
    }
    return lines + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }

  /// The path of one of this package's programs, beside the running tests.
  public static func built(_ program: String) -> String {
    var path = [UInt8](repeating: 0, count: 4096)
    let length = path.withUnsafeMutableBytes {
      readlink("/proc/self/exe", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    let tests = String(decoding: path.prefix(max(0, length)), as: UTF8.self)
    return tests.prefix(upTo: tests.lastIndex(of: "/") ?? tests.endIndex) + "/" + program
  }

  // MARK: Its end

  public func signal(_ number: Int32) {
    end.signal(number)
  }

  /// Waits until the process has ended.
  ///
  /// - Throws: `TestFailure` if it has not in time; it goes on running then.
  @discardableResult
  public func wait(atMost seconds: Double = longestWait) throws -> Exit {
    guard let exit = poll(milliseconds: Int32(seconds * 1000)) else {
      throw TestFailure("process \(pid) did not end within \(seconds) s; its errors: \(standardError)")
    }
    return exit
  }

  /// How the process ended, if it does so within some milliseconds.
  public func poll(milliseconds: Int32) -> Exit? {
    if let exit = end.take() { return exit }
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&waiting, 1, milliseconds) > 0 else { return nil }
    // A descriptor that some test closes twice is another test's the second time.
    precondition(
      waiting.revents & Int16(POLLNVAL) == 0, "the descriptor of process \(pid) was closed elsewhere")
    return end.take()
  }

  /// SIGKILL, for all of its group if it leads one, and waits for the end.
  public func kill() {
    // The group outlives its leader while there is anybody else in it.
    if leadsGroup { Glibc.kill(-pid, SIGKILL) }
    signal(SIGKILL)
    _ = poll(milliseconds: longestPoll)
  }

  // MARK: What it shows

  /// What it has written so far.
  public var standardOutput: String { readFile(outputPath) }
  public var standardError: String { readFile(errorPath) }

  /// Waits until it has written a text to standard error.
  ///
  /// - Returns: whether it has; false at once if it has ended without it.
  public func reports(_ text: String) -> Bool {
    let deadline = ContinuousClock.now + .seconds(longestWait)
    while !standardError.contains(text) {
      // The wait for the process's end is the pause between two looks.
      let isOver = poll(milliseconds: 1) != nil || ContinuousClock.now > deadline
      if isOver { return standardError.contains(text) }
    }
    return true
  }

  /// Its resident memory.
  public var residentKilobytes: Int { status("VmRSS") }
  /// The most it ever was.
  public var peakResidentKilobytes: Int { status("VmHWM") }

  private func status(_ field: String) -> Int {
    for line in readFile("/proc/\(pid)/status").split(separator: "\n") where line.hasPrefix("\(field):") {
      return Int(line.filter(\.isNumber)) ?? 0
    }
    return 0
  }

  /// How many descriptors it has open.
  public var descriptorCount: Int {
    guard let directory = opendir("/proc/\(pid)/fd") else { return 0 }
    defer { closedir(directory) }
    var count = -2
    while readdir(directory) != nil { count += 1 }
    return count
  }

  /// Sets its descriptor limit, soft and hard.
  public func limitDescriptors(to count: UInt64) throws {
    guard clinux_limit_descriptors(pid, count, count) == 0 else {
      throw TestFailure("prlimit: \(String(cString: strerror(errno)))")
    }
  }
}

/// The text of a file, empty if there is none.
public func readFile(_ path: String) -> String {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return "" }
  defer { close(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(file, &chunk, chunk.count)
    if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
    bytes += chunk.prefix(count)
  }
}
