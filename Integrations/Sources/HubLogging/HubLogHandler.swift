// A program's log handler with a level that follows a hub.

public import Logging

/// Made by `HubLogLevels.handler(label:_:)`.
public struct HubLogHandler: LogHandler {
  private var base: any LogHandler
  private let cell: LevelCell

  init(base: any LogHandler, cell: LevelCell) {
    self.base = base
    self.cell = cell
  }

  /// The hub's level; the program's, which this sets, if the hub has none. Read without a lock.
  public var logLevel: Logger.Level {
    get { cell.level ?? base.logLevel }
    set { base.logLevel = newValue }
  }

  /// The program's handler's.
  public var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue }
  }

  /// The program's handler's.
  public var metadataProvider: Logger.MetadataProvider? {
    get { base.metadataProvider }
    set { base.metadataProvider = newValue }
  }

  /// The program's handler's.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue }
  }

  /// Hands the message to the program's handler.
  public func log(event: LogEvent) { base.log(event: event) }
}
