// What a hub can be told at its start. It reads no file and no environment.

import Glibc
public import HubCore

/// The settings of one hub.
public struct ServerOptions: Sendable, Equatable {
  /// Where clients connect: at most 107 bytes.
  public var socketPath: String
  /// The system's hub serves every user that its socket's group lets in (0660); a user's hub serves that user (0600).
  public var isSystem: Bool
  /// Connections beyond this many are refused with `quota`.
  public var maxClients = 16_384
  /// Bytes that all sessions together may make the hub keep for them: replies and rests of frames that were not
  /// taken, requests that are not whole. Beyond it the session that makes it keep the most is ended.
  public var heldBytes = 64 << 20
  /// How long a connection may take to say hello, in milliseconds.
  public var helloMilliseconds = 10_000
  /// How long a stopping hub waits for clients to take what it has for them, in milliseconds.
  public var stopMilliseconds = 1000
  public var logLevel = LogLevel.info
  /// The rules of the hub itself.
  public var engine = HubEngine.Options()
  /// Where values are kept; nil: nowhere.
  public var stateDirectory: String?
  /// A journal that is shorter than this, in bytes, is not replaced by a snapshot.
  public var journalBytes = 16 << 20
  /// The stores that the configuration declares.
  public var declarations: [StoreDeclaration] = []

  public init(socketPath: String, isSystem: Bool) {
    self.socketPath = socketPath
    self.isSystem = isSystem
  }

  /// With what the process is, and the program that it runs.
  var ofThisProcess: ServerOptions {
    var options = self
    options.engine.release = Release.version
    options.engine.pid = UInt32(getpid())
    options.engine.uid = geteuid()
    options.engine.canReload = true
    return options
  }
}
