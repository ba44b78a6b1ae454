// The hub as a program's main work: one call that serves until a signal ends it.

import HubCore
import HubEngine
import HubSystem

/// The server of a hub.
package enum HubServer {
  /// Serves clients on the calling thread until SIGTERM or SIGINT, then notifies every client and returns.
  ///
  /// It takes over the thread's signal mask and the process's SIGPIPE, umask (while it starts) and descriptor limit: a
  /// process runs one hub. It reports the hub's state to a service manager named in the environment; sockets that it
  /// passed are listened on instead of one at the settings' path.
  ///
  /// SIGHUP and the request `reload` apply the current settings. If another program is installed by then, or after
  /// SIGUSR2, it is executed in the same process. Such a program, and one whose predecessor left everything with the
  /// service manager, inherits all of that: connections, stores and the rest.
  ///
  /// Before it serves, it drops privileges that it does not need, permanently for the whole process
  /// (`ServerOptions.usesSandbox`).
  ///
  /// - Parameters:
  ///   - configurations: the paths at which `settings` looks for a configuration.
  ///   - settings: what the hub should do, from the command line and the configuration at the time of the call: it is called
  ///     now, and at every reload.
  /// - Throws: `ServerError` if it cannot start, and what `settings` throws.
  package static func run(
    configurations: [String],
    _ settings: @escaping @Sendable () throws(ServerError) -> ServerOptions
  ) throws(ServerError) {
    _ = Program.current
    Disk.takeLimitsAsErrors()
    Heap.joinFreedBlocksAtOnce()
    Heap.returnLargeBlocks()
    var environment = try ServiceEnvironment(pid: CurrentProcess.pid) { Environment[$0] }
    for variable in ServiceEnvironment.listenVariables { Environment[variable] = nil }
    do throws(ServerError) {
      let now = Clocks.now
      var beginning = try Beginning.find(&environment, now: now) { () throws(ServerError) in
        try settings().ofThisProcess
      }
      if let note = Confinement.note(about: beginning.options, isServing: false) {
        beginning.notes.append(note)
      }
      let server = beginning.server
      var loop = try EventLoop(beginning, environment, now: now, settings)
      if let server { try loop.adopt(server) }
      loop.confine(configurations: configurations)
      loop.run()
    } catch {
      ServiceLink.report(error, to: environment)
      throw error
    }
  }

  /// Checks whether the hub would accept these declarations, and does nothing else.
  ///
  /// - Throws: `ServerError.declaration`.
  package static func check(_ options: ServerOptions) throws(ServerError) {
    _ = try Beginning.engine(options, Clocks.now)
  }

  /// The answer to `--version` for a hub that tries this program before an upgrade; nil: no hub is trying it.
  package static var trialAnswer: String? {
    guard Environment[TrialAnswer.variable] != nil else { return nil }
    return TrialAnswer(
      release: Release.version, image: ImageFormat.version,
      files: JournalFileKind.allCases.map(\.formatName)
    ).text
  }

  /// Logs why the program ends without serving.
  package static func logFailure(_ message: String) {
    let log = Log(level: .error)
    log.write(.error, .cannotServe, message)
    log.end()
  }
}
