// One run of a command: spawned, awaited through a descriptor, and its status read once.

internal import HubCore
internal import HubSystem

/// A child process. It is left alone if it runs longer than statectl.
struct Child: ~Copyable {
  private let process: Subprocess
  private let end: Descriptor
  private let title: String

  /// - Parameter title: the command's name, for messages.
  /// - Throws: `system` if it cannot be started.
  init(_ spawn: consuming Spawn, title: Argument) throws(Failure) {
    var spawn = consume spawn
    spawn.behaveLikeShell()
    let title = ValueText.visible(title.text)
    let process = try Child.attempt("cannot start \(title)", spawn.start())
    let end = try Child.attempt("cannot wait for \(title)", process.end())
    (self.process, self.title) = (process, title)
    self.end = end
  }

  /// The same for a command that runs while a connection is open, even if statectl is killed.
  ///
  /// - Parameter keeper: keeps the connection open, from before the command's first instruction.
  init(
    _ spawn: consuming Spawn, title: Argument, keeping connection: Int32, by keeper: inout Keeper?
  ) throws(Failure) {
    var spawn = consume spawn
    spawn.behaveLikeShell()
    let title = ValueText.visible(title.text)
    let program = try Child.attempt("cannot start \(title)", spawn.prepare())
    let process = program.process
    let end = try Child.attempt("cannot wait for \(title)", process.end())
    keeper = try Child.attempt("cannot start \(title)", Keeper(of: connection, until: end.raw))
    try Child.attempt("cannot start \(title)", program.start())
    (self.process, self.title) = (process, title)
    self.end = end
  }

  /// Starts `command` with the event in its environment and, as a line of JSON, on its standard input.
  ///
  /// - Throws: `system` if it cannot be started.
  init(_ command: [Argument], for event: StoreEvent) throws(Failure) {
    // Variables of an outer watch concern another event.
    let inherited = Environment.lines.filter { !ExecEnvironment.isVariable($0) }
    var spawn = Spawn(
      command.map(\.bytes), environment: inherited + ExecEnvironment.variables(for: event))
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

  /// A file of its own, so that a command that does not read blocks nothing.
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
