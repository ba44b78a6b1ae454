// Turns arguments, environment and configuration into a running hub, and its exit status. HubServer serves.

import HubCore
import HubEngine
import HubServer
import HubSystem

enum Launch {
  /// - Returns: the exit status.
  static func run(_ words: [String]) -> Int32 {
    if let command = words.first.flatMap({ commands[$0] }) {
      // No file may get the number of a standard stream, and output that cannot be delivered is an error.
      StandardStream.openClosed(as: .failure)
      return command(Array(words.dropFirst()))
    }
    let options: CommandLineOptions
    do throws(CommandLineOptions.UsageError) {
      options = try CommandLineOptions(parsing: words)
    } catch {
      return fail("\(error.message); see statehub --help", status: 2)
    }
    switch options.task {
    case .showHelp: return Output.write(Help.text)
    case .showVersion: return Output.write(HubServer.trialAnswer ?? "statehub \(Release.version)\n")
    case .serve:
      StartSignals.block()
      return serve(options)
    case .checkConfiguration: return serve(options)
    }
  }

  /// Each gets the words after its own, and returns the exit status.
  private static let commands: [String: @Sendable ([String]) -> Int32] = [
    "inspect": { InspectCommand.run($0) },
    "repair": { RepairCommand.run($0) },
    "new-epoch": { NewEpochCommand.run($0) },
    "access": { AccessCommand.run($0) { (options) throws(ServerError) in try settings(options) } },
    "help": { help(about: $0) },
  ]

  private static func help(about words: [String]) -> Int32 {
    if words.isEmpty { return Output.write(Help.text) }
    if words.count == 1, words != ["help"], let command = commands[words[0]] { return command(["--help"]) }
    return fail("there is no help for \(words.joined(separator: " ")); see statehub --help", status: 2)
  }

  private static func serve(_ options: CommandLineOptions) -> Int32 {
    // No client's connection may get the number of a standard stream.
    StandardStream.openClosed(as: .nothing)
    do throws(ServerError) {
      if options.task == .serve {
        let standard = try paths.configurations()
        let configurations = options.configuration.map { [$0] } ?? standard
        try HubServer.run(configurations: configurations) { () throws(ServerError) in try settings(options) }
      } else {
        let settings = try settings(options)
        try HubServer.check(settings)
        for note in settings.notes { StandardStream.error.writeAll("\(note)\n") }
      }
      return 0
    } catch {
      if options.task == .checkConfiguration, case .configuration(let problems) = error {
        // In a compiler's format, so that editors find the positions.
        StandardStream.error.writeAll("\(problems)\n")
        return 1
      }
      return fail("\(error)", status: error == .noPath ? 2 : 1)
    }
  }

  private static var paths: DefaultPaths {
    let user = CurrentProcess.effectiveUser
    return DefaultPaths(isRoot: user == 0, runtimeDirectory: RuntimeDirectory.ofUser(user)) {
      Environment[$0]
    }
  }

  /// What the hub must do, from the command line, the environment, and the current configuration.
  private static func settings(_ options: CommandLineOptions) throws(ServerError) -> ServerOptions {
    let paths = paths
    var settings = ServerOptions(socketPath: "", isSystem: CurrentProcess.effectiveUser == 0)
    let configurations = try paths.configurations()
    let memory = ControlGroup.limiting?.memoryLimit
    if let memory { settings.lowerDefaults(toMemory: memory) }
    do throws(ConfigurationFailure) {
      try configure(&settings, options, configurations)
    } catch {
      throw .configuration(error.message)
    }
    if let memory { settings.noteSettings(aboveMemory: memory) }
    if let socket = options.socket { settings.socketPath = socket }
    if settings.socketPath.isEmpty { settings.socketPath = try paths.socket() ?? "" }
    if let directory = options.stateDirectory { settings.stateDirectory = directory }
    if options.isVolatile {
      settings.stateDirectory = nil
    } else if settings.stateDirectory == nil {
      settings.stateDirectory = try paths.stateDirectory()
    }
    try settings.checkSockets()
    if options.requiresDeclaration { settings.engine.requiresDeclaration = true }
    if let level = options.logLevel { settings.logLevel = level }
    return settings
  }

  /// Takes over the configuration that was asked for, or the first default one that exists.
  private static func configure(
    _ settings: inout ServerOptions, _ options: CommandLineOptions, _ paths: [String]
  ) throws(ConfigurationFailure) {
    if let path = options.configuration {
      if try ConfigurationFile.read(path, into: &settings) { return }
      throw ConfigurationFailure(message: "\(path): there is no such file")
    }
    for path in paths where try ConfigurationFile.read(path, into: &settings) { return }
  }

  private static func fail(_ message: String, status: Int32) -> Int32 {
    HubServer.logFailure(message)
    return status
  }
}
