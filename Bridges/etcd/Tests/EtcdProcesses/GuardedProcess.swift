// A child process that always ends with its owner: a shell between the two kills it, by its number, as soon as the owner's
// socket is closed.

internal import Glibc

package struct ProcessFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

package final class GuardedProcess: Sendable {
  /// The child's own number, for signals.
  package let pid: Int32
  private let guardian: pid_t
  private let socket: CInt

  private static let script = """
    directory=$1; shift; "$@" </dev/null >"$directory/log" 2>&1 & child=$!; echo $child
    read -r line; kill -9 $child 2>/dev/null; wait $child 2>/dev/null; [ "$line" = keep ] || rm -rf "$directory"
    """

  /// Starts a program. Its output goes to `log` in a directory, which is removed if the owner ends without releasing this.
  package init(_ arguments: [String], in directory: String) throws {
    var ends: [CInt] = [0, 0]
    let kind = CInt(SOCK_STREAM.rawValue) | O_CLOEXEC
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ProcessFailure("socketpair: errno \(errno)") }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    let guardian: pid_t
    do {
      guardian = try GuardedProcess.spawn(
        ["/bin/sh", "-c", GuardedProcess.script, "guardian", directory] + arguments, actions)
    } catch {
      close(ends[0])
      throw error
    }
    var text: [UInt8] = []
    var byte = UInt8(0)
    while Glibc.read(ends[0], &byte, 1) == 1, byte != 10 { text.append(byte) }
    self.guardian = guardian
    socket = ends[0]
    pid = pid_t(String(decoding: text, as: UTF8.self)) ?? 0
    if pid == 0 { throw ProcessFailure("the guardian said nothing") }
  }

  deinit {
    send(socket, "keep\n", 5, CInt(MSG_NOSIGNAL))
    close(socket)
    waitpid(guardian, nil, 0)
  }

  /// Sends the child a signal.
  package func signal(_ number: Int32) { kill(pid, number) }

  /// The child has ended, whether or not its guardian has noticed.
  package var hasEnded: Bool {
    let state = Files.read("/proc/\(pid)/stat")
    return state.isEmpty || state.contains(") Z ")
  }

  /// Runs a program to its end. Returns its output, or throws it if the program fails.
  @discardableResult package static func run(_ arguments: [String], in directory: String) throws -> String {
    let log = "\(directory)/output-\(UInt64.random(in: 0 ... .max))"
    defer { unlink(log) }
    let done = "\(log).status"
    defer { unlink(done) }
    let script = "\"$@\"; echo $? > '\(done)'"
    let words = ["/bin/sh", "-c", script, "run"] + arguments
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let pid = try spawn(words, actions)
    waitpid(pid, nil, 0)
    let output = Files.read(log)
    guard Files.read(done) == "0\n" else {
      throw ProcessFailure("\(arguments.joined(separator: " ")): \(output)")
    }
    return output
  }

  private static func spawn(_ words: [String], _ actions: posix_spawn_file_actions_t) throws -> pid_t {
    var (actions, attributes, pid) = (actions, posix_spawnattr_t(), pid_t())
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads of tests block signals. A shell that inherits this would never get its children's.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGMASK))
    var pointers = words.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    let failure = posix_spawn(&pid, "/bin/sh", &actions, &attributes, pointers, environ)
    guard failure == 0 else { throw ProcessFailure("posix_spawn: errno \(failure)") }
    return pid
  }
}
