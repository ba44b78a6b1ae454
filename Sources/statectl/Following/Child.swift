// One run of a command: spawned, awaited through a descriptor, and its status read once.

internal import HubCore
internal import HubSystem

/// A child process. It is left alone if it runs longer than statectl.
final class Child {
  private let process: Subprocess
  private let end: Descriptor
  private let title: String
  /// Keeps a connection open, so that what it holds lives as long as the command if only statectl is killed. The command
  /// itself gets no access to the connection.
  private var keeper: Keeper?

  /// - Parameters:
  ///   - title: the command's name, for messages.
  ///   - connection: stays open while the command runs, from before its first instruction.
  /// - Throws: `system` if it cannot be started.
  init(_ spawn: consuming Spawn, title: Argument, keeping connection: Int32? = nil) throws(Failure) {
    var spawn = consume spawn
    spawn.behaveLikeShell()
    let title = ValueText.visible(title.text)
    let cannotStart = "cannot start \(title)"
    self.title = title
    guard let connection else {
      let process = try Child.attempt(cannotStart, spawn.start())
      self.process = process
      self.end = try Child.attempt("cannot wait for \(title)", process.end())
      return
    }
    let program = try Child.attempt(cannotStart, spawn.prepare())
    let process = program.process
    let end = try Child.attempt("cannot wait for \(title)", process.end())
    keeper = try Child.attempt(cannotStart, Keeper(of: connection, until: end.raw))
    try Child.attempt(cannotStart, program.start())
    self.process = process
    self.end = end
  }

  /// Another connection must stay open. Without a keeper it ends with statectl: the command can still run.
  func keep(_ connection: Int32) { keeper = try? Keeper(of: connection, until: end.raw) }

  /// Starts `command` with the event in its environment and, as a line of JSON, on its standard input.
  ///
  /// - Throws: `system` if it cannot be started.
  convenience init(_ command: [Argument], for event: StoreEvent) throws(Failure) {
    var spawn = Spawn(
      command.map(\.bytes), environment: ExecEnvironment.lines(ExecEnvironment.variables(for: event)))
    let input = try Child.input { output throws(Failure) in try output.json { $0.members(of: event) } }
    spawn.give(input.raw, as: .input)
    try self.init(spawn, title: command[0])
  }

  func send(_ signal: Signal) { process.send(signal) }

  /// Readable once the process has ended.
  var descriptor: Int32 { end.raw }

  /// Waits for its end.
  ///
  /// - Returns: its status as a shell has it.
  func status() throws(Failure) -> Int32 {
    try Child.attempt("cannot get the exit status of \(title)", process.waitForEnd()).shellStatus
  }

  /// A separate file, so that a command that does not read blocks nothing.
  static func input(_ write: (inout Output) throws(Failure) -> Void) throws(Failure) -> Descriptor {
    let file = try attempt("cannot buffer a command's input", MemoryFile.create("statectl"))
    var output = Output(descriptor: file.raw)
    do throws(Failure) {
      try write(&output)
      try output.flush()
    } catch {
      guard case .system(_, let problem) = error else { throw error }
      throw .system("cannot buffer a command's input", problem)
    }
    File.rewind(file.raw)
    return file
  }

  private static func attempt<Result: ~Copyable>(
    _ trouble: String, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(Failure) -> Result {
    try SystemError.attempt(try body()) { Failure.system(trouble, $0) }
  }
}
