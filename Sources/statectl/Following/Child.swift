// One run of a command: spawned, awaited through a descriptor, and its status read once.

internal import HubCore
internal import HubSystem

/// A child process. It is left alone if it runs longer than statectl.
struct Child: ~Copyable {
  private let process: Subprocess
  private let end: Descriptor

  /// - Parameter title: the command's name, for messages.
  /// - Throws: `system` if it cannot be started.
  init(_ spawn: consuming Spawn, title: Argument) throws(Failure) {
    var spawn = consume spawn
    // statectl ignores SIGPIPE; a command should not have to know.
    spawn.restoreDefaults(of: [.brokenPipe])
    let title = ValueText.visible(title.text)
    let process = try Child.attempt("cannot start \(title)", spawn.start())
    let end = try Child.attempt("cannot await \(title)", process.end())
    self.process = process
    self.end = end
  }

  /// Starts `command` with the event in its environment and, as a line of JSON, on its standard input.
  ///
  /// - Throws: `system` if it cannot be started.
  init(_ command: [Argument], for event: StoreEvent) throws(Failure) {
    // What an outer watch has set is about another event.
    let inherited = Environment.lines.filter { !ExecEnvironment.isVariable($0) }
    var spawn = Spawn(
      command.map(\.bytes), environment: inherited + ExecEnvironment.variables(for: event))
    let input = try Child.input(event)
    spawn.give(input.raw, as: .input)
    try self.init(spawn, title: command[0])
  }

  func send(_ signal: Signal) { process.send(signal) }

  /// Readable once the process has ended.
  var descriptor: Int32 { end.raw }

  /// Waits for its end.
  ///
  /// - Returns: its status as a shell has it.
  func status() -> Int32 { process.waitForEnd().shellStatus }

  /// Its own file, so that nothing waits for a command that does not read.
  private static func input(_ event: StoreEvent) throws(Failure) -> Descriptor {
    let file = try attempt("cannot hold a command's input", MemoryFile.create("statectl"))
    var output = Output(descriptor: file.raw)
    try output.json { $0.members(of: event) }
    try output.flush()
    File.rewind(file.raw)
    return file
  }

  private static func attempt<Result: ~Copyable>(
    _ trouble: String, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(Failure) -> Result {
    try SystemError.attempt(try body()) { Failure.system(trouble, $0) }
  }
}
