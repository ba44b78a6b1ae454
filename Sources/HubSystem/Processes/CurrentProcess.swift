// This process: its number and user, its working directory, its end, and the program that replaces it.

internal import CLinux
internal import Glibc

package enum CurrentProcess {
  package static var pid: Int32 { getpid() }
  package static var realUser: UInt32 { getuid() }
  package static var effectiveUser: UInt32 { geteuid() }
  package static var effectiveGroup: UInt32 { getegid() }

  /// All groups of which it is a member.
  package static var groups: [UInt32] {
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return [getegid()] + groups.prefix(Int(max(0, count)))
  }

  package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

  /// If the process is about to end with status 0, it ends with 1 instead, and everything that was printed is written.
  package static func failAtExit() {
    on_exit(
      { status, _ in
        guard status == 0 else { return }
        fflush(nil)
        _exit(EXIT_FAILURE)
      }, nil)
  }

  /// Whether a process is systemd, by the name of its program.
  package static func isServiceManager(_ pid: Int32) -> Bool {
    (try? File.contents(of: "/proc/\(pid)/comm", limit: 64)) == Array("systemd\n".utf8)
  }

  package static var workingDirectory: String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// The path by which the program was started, as the kernel knows it; nil if it is unknown.
  package static var programPath: String? { clinux_program_path().map { String(cString: $0) } }

  /// The files whose code is in this process's memory: its program, the loader and the libraries; none if the system does not
  /// list them.
  package static var mappedCode: [String] {
    let text = (try? File.contents(of: "/proc/self/maps", limit: 1 << 22)) ?? []
    var files: Set<String> = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      // Addresses, rights, offset, device, inode, and the path after spaces.
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard words.count == 6, words[1].contains(UInt8(ascii: "x")) else { continue }
      let path = String(decoding: words[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
      if path.hasPrefix("/") { files.insert(path) }
    }
    return files.sorted()
  }

  /// Executes another program, with the current environment.
  ///
  /// - Returns: why it failed; on success it does not return.
  package static func execute(_ path: String, _ arguments: [[UInt8]]) -> SystemError {
    var words = CWords()
    for argument in arguments { words.append(argument) }
    words.withPointers { _ = execv(path, $0) }
    return .last
  }

  /// Raises the limit of open descriptors as far as possible without privileges.
  ///
  /// - Returns: the limit; nil if it is unknown.
  package static func raiseDescriptorLimit() -> Int? {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return nil }
    let soft = limit.rlim_cur
    if soft < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      if setrlimit(resource, &limit) != 0 { limit.rlim_cur = soft }
    }
    return Int(clamping: limit.rlim_cur)
  }
}
