// From words and environment to a running hub, and its exit status. The rules of serving are HubServer's.

import Glibc
import HubCore
import HubServer

enum Launch {
  /// - Returns: the exit status.
  static func run(_ words: [String]) -> Int32 {
    Terminal.openStandardStreams()
    let options: CommandLineOptions
    do throws(CommandLineOptions.UsageError) {
      options = try CommandLineOptions(parsing: words)
    } catch {
      Terminal.printError("\(error.message); see statehub --help")
      return 2
    }
    switch options.task {
    case .showHelp:
      Terminal.print(Help.text)
      return 0
    case .showVersion:
      Terminal.print("statehub \(HubServer.release)\n")
      return 0
    case .checkConfiguration: return 0
    case .serve: return serve(options)
    }
  }

  private static func serve(_ options: CommandLineOptions) -> Int32 {
    let isRoot = geteuid() == 0
    let paths = DefaultPaths(isRoot: isRoot) { name in getenv(name).map { String(cString: $0) } }
    guard let socket = options.socket ?? paths.socket else {
      Terminal.printError("there is no default socket without XDG_RUNTIME_DIR: give --socket PATH")
      return 2
    }
    var settings = ServerOptions(socketPath: socket, isSystem: isRoot)
    settings.engine.release = HubServer.release
    settings.engine.pid = UInt32(getpid())
    settings.engine.uid = geteuid()
    if options.isStrict { settings.engine.strict = true }
    if let level = options.logLevel { settings.logLevel = level }
    do throws(ServerError) {
      try HubServer.run(settings)
      return 0
    } catch {
      Terminal.printError("\(error)")
      return 1
    }
  }
}
