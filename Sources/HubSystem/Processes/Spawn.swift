// Starting another program: its words and variables, its standard streams, and which signals it finds as any other does.

internal import CLinux
internal import Glibc

package struct Spawn: ~Copyable {
  private var words = CWords()
  private var variables = CWords()
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  private var flags: Int32 = 0
  /// Where the program is, or the name that is searched for in `$PATH`.
  private let program: [UInt8]

  /// - Parameters:
  ///   - words: the first is the program: a path, or a name that is searched for in `$PATH`.
  ///   - environment: as `Environment.lines`.
  package init(_ words: [[UInt8]], environment: [[UInt8]] = Environment.lines) {
    program = words[0]
    for word in words { self.words.append(word) }
    for line in environment { variables.append(line) }
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
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

  /// It gets this descriptor, under the same number.
  package mutating func share(_ descriptor: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor)
  }

  /// Its standard input is empty.
  package mutating func giveNoInput() {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  }

  /// It gets the standard streams, and nothing else that is open.
  package mutating func giveNothingElse() {
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
  }

  /// These signals have their default effect in it.
  package mutating func restoreDefaults(of signals: [Signal]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal.number) }
    posix_spawnattr_setsigdefault(&attributes, &set)
    flags |= Int32(POSIX_SPAWN_SETSIGDEF)
  }

  /// No signal is blocked in it.
  package mutating func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    flags |= Int32(POSIX_SPAWN_SETSIGMASK)
  }

  /// All signals have their default effect in it, and none is blocked.
  package mutating func restoreAllSignals() {
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    flags |= Int32(POSIX_SPAWN_SETSIGDEF)
    unblockSignals()
  }

  /// It leads a group of its own, to which everything belongs that it starts.
  package mutating func leadGroup() {
    posix_spawnattr_setpgroup(&attributes, 0)
    flags |= Int32(POSIX_SPAWN_SETPGROUP)
  }

  package mutating func start() throws(SystemError) -> Subprocess {
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var pid: pid_t = 0
    let problem = words.withPointers { words in
      variables.withPointers { posix_spawnp(&pid, words[0]!, &actions, &attributes, words, $0) }
    }
    if problem != 0 { throw SystemError(problem) }
    return Subprocess(pid: pid)
  }
}
