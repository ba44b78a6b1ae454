// The command that runs while something is held: started with what it has to know, signalled, and its end told.

internal import HubCore
internal import HubSystem
internal import HubTransport

final class HeldCommand {
  private let child: Child

  /// - Parameters:
  ///   - connection: what holds the claim. The command gets it, so that the claim lives on if only statectl is killed.
  ///   - variables: added to the environment.
  /// - Throws: `status`, as a shell has it, if the command cannot be started.
  init(
    _ command: [Argument], connection: Int32, variables: [(name: String, value: String)]
  ) throws(Failure) {
    let inherited = Environment.lines.filter { line in
      !variables.contains { line.starts(with: "\($0.name)=".utf8) }
    }
    var spawn = Spawn(
      command.map(\.bytes), environment: inherited + variables.map { Array("\($0.name)=\($0.value)".utf8) })
    spawn.share(connection)
    spawn.unblockSignals()
    do throws(Failure) {
      child = try Child(spawn, title: command[0])
    } catch {
      guard case .system(_, let problem) = error else { throw error }
      error.complain()
      throw .status(problem == .noSuchFile ? ExitStatus.notFound : ExitStatus.notExecutable)
    }
  }

  /// Readable once it has ended.
  var descriptor: Int32 { child.descriptor }

  func send(_ signal: Signal) { child.send(signal) }

  /// Waits for its end.
  ///
  /// - Returns: its status as a shell has it.
  func status() -> Int32 { child.status() }
}
