// The options that a hub starts with. They read no file and no environment.

public import HubCore
import HubSystem

/// The settings of one hub.
public struct ServerOptions: Sendable, Equatable {
  /// Where clients connect: at most 107 bytes.
  public var socketPath: String
  /// The system's hub serves every user that its socket's group lets in (0660); a user's hub serves that user (0600).
  public var isSystem: Bool
  /// Connections beyond this many are refused with `quota`.
  public var maxClients = 16_384
  /// How many bytes all sessions together may make the hub keep for them: replies and partially sent frames that were not
  /// taken, requests that are not whole. Beyond it the session with the most is ended.
  public var heldBytes = 64 << 20
  /// How long a connection may take to say hello, in milliseconds.
  public var helloMilliseconds = 10_000
  /// How long a stopping hub waits for clients to take what is queued for them, in milliseconds.
  public var stopMilliseconds = 1000
  public var logLevel = LogLevel.info
  /// The options of the engine.
  public var engine = HubEngine.Options()
  /// Where values are kept; nil: nowhere.
  public var stateDirectory: String?
  /// A journal shorter than this, in bytes, is not replaced by a snapshot.
  public var journalBytes = 16 << 20
  /// The stores that the configuration declares.
  public var declarations: [StoreDeclaration] = []

  public init(socketPath: String, isSystem: Bool) {
    self.socketPath = socketPath
    self.isSystem = isSystem
  }

  /// The options with this process's own facts, and its program.
  var ofThisProcess: ServerOptions {
    var options = self
    options.engine.release = Release.version
    options.engine.pid = UInt32(CurrentProcess.pid)
    options.engine.uid = CurrentProcess.effectiveUser
    options.engine.canReload = true
    return options
  }
}
