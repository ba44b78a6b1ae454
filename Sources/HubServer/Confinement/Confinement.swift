// A hub gives up what it does not need, for good: rights to files, and system calls. It happens once in a process, before its
// first thread is started; what is executed later inherits it.

package import HubSystem

package enum Confinement {
  /// The process that has confined itself: a program that is executed in it finds itself confined. A layer for each reload
  /// would make calls slower and slower, and the kernel takes sixteen.
  private static let variable = "STATEHUB_CONFINED"

  /// Whether this process is confined, by this program or by one before it.
  static var isInForce: Bool { Environment[variable] == "\(CurrentProcess.pid)" }

  /// What people should know of it.
  struct Notice {
    let level: LogLevel
    let text: String
  }

  /// Confines this process, unless it is or must not be.
  ///
  /// - Parameter configuration: where a reload will look for the configuration.
  /// - Returns: what is not as it was wanted.
  static func begin(
    _ options: ServerOptions, sockets: [String], configuration: String?
  ) -> [Notice] {
    guard options.confines, !isInForce else { return [] }
    var notices: [Notice] = []
    let paths = ConfinedPaths(home: Environment["HOME"]).all(
      sockets: sockets, stateDirectory: options.stateDirectory, configuration: configuration,
      program: Program.current.path, libraries: CurrentProcess.mappedCode)
    do throws(SystemError) {
      try Privileges.gainNone()
      try confineFiles(paths, &notices)
    } catch {
      notices.append(Notice(level: .warning, text: "the hub's files are not confined: \(error)"))
    }
    do throws(SystemError) {
      try SystemCallFilter.enforce()
    } catch {
      notices.append(Notice(level: .warning, text: "the hub's system calls are not filtered: \(error)"))
    }
    Environment[variable] = "\(CurrentProcess.pid)"
    return notices
  }

  private static func confineFiles(
    _ paths: [ConfinedPath], _ notices: inout [Notice]
  ) throws(SystemError) {
    let landlock: Landlock
    do throws(SystemError) {
      landlock = try Landlock()
    } catch {
      let text = "the hub's files are not confined: this kernel offers no Landlock (\(error))"
      return notices.append(Notice(level: .info, text: text))
    }
    for path in paths { try landlock.allow(path.access, beneath: path.path) }
    try landlock.enforce()
  }

  /// What people should know about settings that come too late for this process; nil: nothing.
  static func note(about options: ServerOptions) -> String? {
    if options.confines || !isInForce { return nil }
    return "confine: the change from true to false waits until the hub is restarted"
  }

  /// What to add to the reason why a file cannot be reached, if the confinement may be the reason.
  package static func hint(_ problem: SystemError) -> String {
    guard problem == .accessDenied, isInForce else { return "" }
    return "; if its user may, it is the hub's own confinement, which a restart of the hub makes anew"
  }
}
