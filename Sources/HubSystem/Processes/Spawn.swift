// Starting another program: its words and variables, its standard streams, and its signals.

internal import CLinux
internal import Glibc

package struct Spawn: ~Copyable {
  private let program: [[UInt8]]
  /// What the kernel cannot execute is a script of the shell's.
  private var takesScripts = false
  private var words = CWords()
  private var variables = CWords()
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  private var flags: Int32 = 0
  private var defaults = sigset_t()
  /// Which signals do not get their default effect; nil: none does.
  private var kept: [Signal]?

  /// - Parameters:
  ///   - words: the first is the program: a path, or a name that is searched for in `$PATH`.
  ///   - environment: as `Environment.lines`.
  package init(_ words: [[UInt8]], environment: [[UInt8]] = Environment.lines) {
    program = words
    for word in words { self.words.append(word) }
    for line in environment { variables.append(line) }
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    sigemptyset(&defaults)
  }

  package init(_ path: String, _ arguments: [String], environment: [[UInt8]] = Environment.lines) {
    self.init(([path] + arguments).map { Array($0.utf8) }, environment: environment)
  }

  deinit {
    var (actions, attributes) = (actions, attributes)
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }

  /// A copy of this descriptor becomes one of its standard streams.
  package mutating func give(_ descriptor: Int32, as stream: StandardStream) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, stream.raw)
  }

  /// Its standard input is empty.
  package mutating func giveNoInput() {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  }

  /// It gets the standard streams, and nothing else that is open.
  package mutating func giveNothingElse() {
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
  }

  /// All signals have their default effect in it, except for those that must stay as they are; and none is blocked.
  package mutating func restoreSignals(except kept: [Signal] = []) {
    // `sigfillset` leaves out the two signals that glibc keeps for itself, and `posix_spawn` would leave these ignored.
    withUnsafeMutableBytes(of: &defaults) { set in for index in set.indices { set[index] = 0xFF } }
    for signal in kept { sigdelset(&defaults, signal.number) }
    self.kept = kept
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    flags |= Int32(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
  }

  /// It starts as a command of a shell, whatever this process has inherited or set: no signal is blocked, only those that
  /// control a job are ignored if they were, reads and writes of the standard streams wait, and scripts need no interpreter.
  package mutating func behaveLikeShell() {
    takesScripts = true
    restoreSignals(except: Signal.steering)
    for stream in [StandardStream.input, .output, .error] { Descriptor.setWaiting(stream.raw) }
  }

  /// It leads its own group, which includes all processes that it starts.
  package mutating func leadGroup() {
    posix_spawnattr_setpgroup(&attributes, 0)
    flags |= Int32(POSIX_SPAWN_SETPGROUP)
  }

  package mutating func start() throws(SystemError) -> Subprocess {
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var pid: pid_t = 0
    var problem = spawn(&pid)
    if problem == ENOEXEC, takesScripts {
      var script = CWords()
      for word in [Array("/bin/sh".utf8), Array("-c".utf8), Array(#"exec "$0" "$@""#.utf8)] + program {
        script.append(word)
      }
      words = script
      problem = spawn(&pid)
    }
    if problem != 0 { throw SystemError(problem) }
    return Subprocess(pid: pid)
  }

  private mutating func spawn(_ pid: inout pid_t) -> Int32 {
    words.withPointers { words in
      variables.withPointers { posix_spawnp(&pid, words[0]!, &actions, &attributes, words, $0) }
    }
  }

  /// Makes the process, and lets it wait before it becomes the program. It has this process's standard streams.
  ///
  /// This process must not have other threads.
  package mutating func prepare() throws(SystemError) -> PreparedProgram {
    var gate = try Pipe()
    var trouble = try Pipe()
    let pid = clinux_fork()
    if pid < 0 { throw .last }
    if pid == 0 {
      gate.closeWriting()
      guard Descriptor.readOnce(gate.reading.raw, limit: 1).count == 1 else { _exit(127) }
      if let kept {
        for number in 1..<Spawn.signalCount where !kept.contains(Signal(number)) {
          clinux_restore_signal(number)
        }
      }
      Signal.unblockAll()
      words.withPointers { words in variables.withPointers { _ = clinux_execute(words, $0) } }
      withUnsafeBytes(of: errno) { _ = Descriptor.writeAll($0, to: trouble.writingEnd) }
      _exit(127)
    }
    trouble.closeWriting()
    return PreparedProgram(process: Subprocess(pid: pid), gate: gate, trouble: trouble)
  }

  /// One more than the highest number of a signal.
  private static let signalCount: Int32 = 65
}
