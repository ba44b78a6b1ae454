// Log levels from a hub: the level of each label. The program's own handler writes the messages.

public import HubClient
import HubMirror
public import Logging
public import ServiceLifecycle
import Synchronization

/// Levels of loggers that can be changed while the program runs: `statectl set app.log debug`.
///
///     let levels = HubLogLevels(hub: hub, prefix: "app.log")
///     LoggingSystem.bootstrap { levels.handler(label: $0, StreamLogHandler.standardError(label: $0)) }
///     let group = ServiceGroup(services: [hub, levels, server], logger: logger)
///
/// The store named by the prefix holds the level of all loggers, `app.log.db` that of the loggers whose label is `db` or
/// begins with `db.`; the longest one counts. A store that is missing or does not hold a level changes nothing: the logger then
/// has the level that the program set. Without a hub, and before the service runs, all loggers have that level. While the hub is
/// away, and when the service has ended, its last levels stay.
public final class HubLogLevels: Service {
  private struct State {
    var levels: [String: Logger.Level] = [:]
    /// By label.
    var cells: [String: LevelCell] = [:]
  }

  private let hub: Hub
  private let prefix: String
  private let state = Mutex(State())

  /// - Parameter prefix: the store with the level of all loggers.
  public init(hub: Hub, prefix: String = "log") { (self.hub, self.prefix) = (hub, prefix) }

  /// Follows the stores until the group shuts down, the task is cancelled, or the Hub is closed.
  ///
  /// - Throws: errors that waiting cannot fix.
  public func run() async throws {
    let end = await cancelWhenGracefulShutdown { [self] in
      await hub.watch("\(prefix).**").follow { view in
        use(view.values.compactMapValues { Logger.Level(storeValue: $0) })
      }
    }
    if let end, end.code != .closed { throw end }
  }

  /// The program's own handler, with the hub's levels.
  public func handler(label: String, _ base: any LogHandler) -> HubLogHandler {
    let cell = state.withLock { state in
      let cell = state.cells[label] ?? LevelCell()
      state.cells[label] = cell
      cell.level = Self.level(of: label, state.levels)
      return cell
    }
    return HubLogHandler(base: base, cell: cell)
  }

  private func use(_ levels: [String: Logger.Level]) {
    let levels = Dictionary(
      uniqueKeysWithValues: levels.map { (String($0.key.dropFirst(prefix.utf8.count + 1)), $0.value) })
    state.withLock { state in
      state.levels = levels
      for (label, cell) in state.cells { cell.level = Self.level(of: label, levels) }
    }
  }

  /// The level of the label itself, or of its longest beginning.
  private static func level(of label: String, _ levels: [String: Logger.Level]) -> Logger.Level? {
    var name = label[...]
    while !name.isEmpty {
      if let level = levels[String(name)] { return level }
      name = name.lastIndex(of: ".").map { name[..<$0] } ?? ""
    }
    return levels[""]
  }
}

/// The level of one label, read with every message.
final class LevelCell: Sendable {
  /// An index into all levels; beyond them: none.
  private let index = Atomic<Int>(Logger.Level.allCases.count)

  var level: Logger.Level? {
    get {
      let index = index.load(ordering: .relaxed)
      return index < Logger.Level.allCases.count ? Logger.Level.allCases[index] : nil
    }
    set {
      let all = Logger.Level.allCases
      index.store(newValue.flatMap { all.firstIndex(of: $0) } ?? all.count, ordering: .relaxed)
    }
  }
}
