// One run of the command of `watch --exec`: spawned, awaited through a descriptor, and its status read once.

internal import CLinux
internal import Glibc
internal import HubCore

/// A child process. It is left alone if it runs longer than statectl.
struct Child: ~Copyable {
  private let pid: pid_t
  /// Readable once the process has ended.
  let descriptor: Int32

  /// Starts `command` with the event in its environment and, as a line of JSON, on its standard input.
  ///
  /// - Throws: `system` if it cannot be started.
  init(_ command: [Argument], for event: StoreEvent) throws(Failure) {
    let input = try Child.input(event)
    defer { close(input) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    // statectl ignores SIGPIPE; a command should not have to know.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var words = command.map { Child.string($0.bytes) } + [nil]
    var variables = Child.inherited() + ExecEnvironment.variables(for: event).map(Child.string) + [nil]
    defer { (words + variables).forEach { free($0) } }
    var pid: pid_t = 0
    let problem = posix_spawnp(&pid, words[0]!, &actions, &attributes, &words, &variables)
    guard problem == 0 else { throw .system("cannot start \(ValueText.visible(command[0].text))", problem) }
    let descriptor = clinux_pidfd_open(pid)
    guard descriptor >= 0 else { throw .system("cannot await \(ValueText.visible(command[0].text))", errno) }
    self.init(pid: pid, descriptor: descriptor)
  }

  private init(pid: pid_t, descriptor: Int32) {
    self.pid = pid
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Waits for its end.
  ///
  /// - Returns: its status as a shell has it: 128 and the number for a signal.
  func status() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Its own file, so that nothing waits for a command that does not read.
  private static func input(_ event: StoreEvent) throws(Failure) -> Int32 {
    let file = clinux_memory_file("statectl")
    guard file >= 0 else { throw .system("cannot hold a command's input", errno) }
    var output = Output(descriptor: file)
    try output.json { $0.members(of: event) }
    try output.flush()
    lseek(file, 0, SEEK_SET)
    return file
  }

  private static func string(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    (bytes + [0]).withUnsafeBytes { strdup($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
  }

  private static func inherited() -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let variable = next.pointee {
      // What an outer watch has set is about another event.
      if strncmp(variable, "STATE_", 6) != 0 { variables.append(strdup(variable)) }
      next += 1
    }
    return variables
  }
}
