// The program: one bridge for each prefix, with one client of etcd, until a signal ends it.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

package enum BridgeProgram {
  /// Carries out a command line.
  ///
  /// - Returns: the exit status.
  package static func run(_ words: [String]) async -> Int32 {
    do {
      let options = try Options(parsing: words)
      switch options.task {
      case .help: print(Help.text)
      case .version: print("statehub-bridge \(Release.version)")
      case .check: return await Check(options).run()
      case .serve: try await serve(options)
      }
      return 0
    } catch let problem as BridgeProblem {
      Log(.error).write(.error, "\(problem)\(problem.kind == .usage ? " (see --help)" : "")")
      return problem.kind.rawValue
    } catch is CancellationError {
      return 0
    } catch {
      Log(.error).write(.error, "\(error)")
      return BridgeProblem.Kind.unavailable.rawValue
    }
  }

  private static func serve(_ options: Options) async throws {
    let report = Report(Log(options.level))
    let bridges = try makeBridges(options, report)
    try await withThrowingDiscardingTaskGroup { group in
      if let metrics = options.metrics {
        let output = MetricsOutput(report)
        if metrics.contains("/") {
          group.addTask { await output.write(to: metrics) }
        } else {
          try output.serve(at: metrics)
        }
      }
      for bridge in bridges { group.addTask { try await bridge.run(options.socket) } }
      group.addTask { await pulse(bridges) }
    }
  }

  /// The bridges of all prefixes.
  static func makeBridges(_ options: Options, _ report: Report) throws -> [PrefixBridge] {
    let etcd: EtcdClient
    do throws(EtcdFailure) {
      etcd = try EtcdClient(options.settings)
    } catch {
      throw BridgeProblem(.usage, "\(error)")
    }
    return options.prefixes.map {
      PrefixBridge($0.mapping, $0.values, etcd, machine: options.machine, report)
    }
  }

  /// Reports to the service manager that the process runs. The hub reports whether values are live.
  private static func pulse(_ bridges: [PrefixBridge]) async {
    let manager = ServiceManager()
    manager.tell("READY=1")
    let pause = manager.watchdog ?? .seconds(3600)
    while (try? await Task.sleep(for: pause)) != nil {
      // Returns only if no bridge is blocked.
      for bridge in bridges { await bridge.isAlive() }
      if manager.watchdog != nil { manager.tell("WATCHDOG=1") }
    }
    manager.tell("STOPPING=1")
  }
}
