// One process of the demonstration. It is killed and collected with its owner, whatever happens.

import Glibc

final class ChildProcess {
  let pid: pid_t
  private var hasEnded = false

  /// - Parameter channel: becomes its standard input and output; by default it reads nothing, and its output is
  ///   the demonstration's.
  init(_ executable: String, _ arguments: [String], channel: Int32? = nil) throws(Failure) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let channel {
      posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    // The demonstration ignores signals that would keep it from cleaning up; its child processes must not.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var ignored = sigset_t()
    sigemptyset(&ignored)
    for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&ignored, number) }
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var pid: pid_t = 0
    let problem = posix_spawn(&pid, executable, &actions, &attributes, &words, environ)
    guard problem == 0 else { throw Failure("cannot start \(executable)", code: problem) }
    self.pid = pid
  }

  /// Where this program is; the hub was built next to it.
  static func directoryOfThisProgram() throws(Failure) -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0 else { throw Failure("/proc/self/exe", code: errno) }
    let program = String(decoding: path.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return String(program[..<(program.lastIndex(of: "/") ?? program.endIndex)])
  }

  deinit { end(SIGKILL) }

  /// Sends the signal and waits for the process's end.
  func end(_ signal: Int32) {
    guard !hasEnded else { return }
    hasEnded = true
    kill(pid, signal)
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
  }
}
