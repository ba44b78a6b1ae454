// A hub permanently gives up what it does not need: rights to files, and system calls. This happens once in a process,
// before its first thread is started; programs executed later inherit it.

package import HubSystem

package enum Confinement {
  /// The process that has confined itself: a program that is executed in it finds itself confined. A layer for each reload
  /// would make calls slower and slower, and the kernel takes sixteen.
  private static let variable = "STATEHUB_CONFINED"

  /// Whether this process is confined, by this program or by one before it.
  static var isInForce: Bool { Environment[variable] == "\(CurrentProcess.pid)" }

  /// Its status, as human-readable text.
  struct Notice {
    let level: LogLevel
    let text: String
  }

  /// Confines this process, unless it is confined already or the options turn it off.
  ///
  /// - Parameter configurations: where a reload will look for the configuration.
  /// - Returns: problems, as human-readable text.
  static func begin(
    _ options: ServerOptions, sockets: [String], configurations: [String], reachesAbstractSockets: Bool
  ) -> [Notice] {
    guard options.usesSandbox, !isInForce else { return [] }
    var notices: [Notice] = []
    for path in configurations { makeDirectory(of: path) }
    let paths = ConfinedPaths(home: Environment["HOME"]).all(
      sockets: sockets, stateDirectory: options.stateDirectory,
      note: options.stateDirectory.map { ReachFile.path(in: Beginning.noteDirectory(options), for: $0) },
      configurations: configurations,
      program: Program.current.path, libraries: CurrentProcess.mappedCode)
    do throws(SystemError) {
      // Otherwise the hub could give sockets to these groups only with a privilege that it should not have.
      try Privileges.join((options.sockets.map(\.group) + [options.socketGroup]).compactMap(\.self))
      try Privileges.gainNone()
      try Privileges.dropCapabilities()
    } catch {
      notices.append(
        Notice(level: .warning, text: "the hub keeps privileges that it does not need: \(error)"))
    }
    do throws(SystemError) {
      try confineFiles(paths, reachesAbstractSockets: reachesAbstractSockets, &notices)
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

  /// A configuration that is written later can be read by a reload only if its directory exists now: the home above it is not
  /// kept. Where it cannot be made, there is none.
  private static func makeDirectory(of path: String) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let directory = String(path[..<slash])
    if (try? FileStatus(at: directory)) != nil { return }
    makeDirectory(of: directory)
    _ = Directory.create(directory)
  }

  private static func confineFiles(
    _ paths: [ConfinedPath], reachesAbstractSockets: Bool, _ notices: inout [Notice]
  ) throws(SystemError) {
    let landlock: Landlock
    do throws(SystemError) {
      landlock = try Landlock(reachesAbstractSockets: reachesAbstractSockets)
    } catch {
      let text = "the hub's files are not confined: this kernel has no Landlock (\(error))"
      return notices.append(Notice(level: .info, text: text))
    }
    for path in paths { try landlock.allow(path.access, beneath: path.path) }
    try landlock.enforce()
  }

  /// A note about settings that come too late for this process; nil: there is none.
  ///
  /// - Parameter isServing: it is too late to confine the process.
  static func note(about options: ServerOptions, isServing: Bool) -> String? {
    if options.usesSandbox == isInForce || options.usesSandbox && !isServing { return nil }
    return "sandbox: the change from \(isInForce) to \(options.usesSandbox) waits until the hub is restarted"
  }

  /// What to add to the reason why a file cannot be reached, if the confinement may be the reason.
  ///
  /// - Parameter path: the file, if the file system's own rights may be the reason as well.
  package static func hint(_ problem: SystemError, at path: String? = nil) -> String {
    guard problem == .accessDenied || problem == .notPermitted else { return "" }
    if let path, let denial = denial(of: path) { return denial }
    guard isInForce else { return "" }
    return "; if its user is permitted to, the hub's sandbox is the cause: restart the hub to renew it"
  }

  /// Why the hub's user may not read a file, apart from the sandbox, which leaves the status of files readable. Root
  /// may read everything until it is confined, and then what its own rights allow.
  private static func denial(of path: String) -> String? {
    let user = "the hub's user, \(CurrentProcess.effectiveUser),"
    guard let status = try? FileStatus(at: path) else { return "; \(user) may not search its directory" }
    let bits: UInt32 =
      status.owner == CurrentProcess.effectiveUser
      ? 0o400 : CurrentProcess.groups.contains(status.group) ? 0o040 : 0o004
    if status.permissions & bits != 0 { return nil }
    let mode = String(status.permissions, radix: 8)
    return
      "; \(user) may not read it: its mode is \(mode), and it belongs to user \(status.owner), group \(status.group)"
  }
}
