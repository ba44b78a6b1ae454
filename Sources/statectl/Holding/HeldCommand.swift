// The command that runs while something is held: started with its environment, signalled, and its end reported.

internal import HubCore
internal import HubSystem
internal import HubTransport

final class HeldCommand {
  private let child: Child
  /// Keeps the connection open, so that the claim lives as long as the command if only statectl is killed. The command
  /// itself gets no access to the connection.
  private var keeper: Keeper?
  /// Which of the link's connections the keeper has.
  private var generation: Int

  /// - Parameter variables: added to the environment.
  /// - Throws: `status`, as a shell has it, if the command cannot be started.
  init(
    _ command: [Argument], holding link: borrowing ClaimLink, variables: [(name: String, value: String)]
  ) throws(Failure) {
    let inherited = Environment.lines.filter { line in
      !variables.contains { line.starts(with: "\($0.name)=".utf8) }
    }
    let spawn = Spawn(
      command.map(\.bytes), environment: inherited + variables.map { Array("\($0.name)=\($0.value)".utf8) })
    generation = link.generation
    var keeper: Keeper?
    do throws(Failure) {
      child = try Child(spawn, title: command[0], keeping: link.descriptor, by: &keeper)
    } catch {
      guard case .system(_, let problem) = error else { throw error }
      error.complain()
      throw .status(problem == .noSuchFile ? ExitStatus.notFound : ExitStatus.notExecutable)
    }
    self.keeper = consume keeper
  }

  /// Another connection now holds the claim.
  func keep(_ link: borrowing ClaimLink) {
    guard link.generation != generation else { return }
    generation = link.generation
    // Without it the claim ends with statectl: the command can still run.
    keeper = try? Keeper(of: link.descriptor, until: child.descriptor)
  }

  /// Readable once it has ended.
  var descriptor: Int32 { child.descriptor }

  func send(_ signal: Signal) { child.send(signal) }

  /// Waits for its end.
  ///
  /// - Returns: its status as a shell has it.
  func status() throws(Failure) -> Int32 { try child.status() }
}
