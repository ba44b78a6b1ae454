// The options that a hub starts with. They read no file and no environment.

package import HubCore
import HubSystem

/// The settings of one hub.
package struct ServerOptions: Sendable, Equatable {
  /// Where clients connect: at most 107 bytes.
  package var socketPath: String
  /// The system's hub serves every user that its socket's group lets in (0660); a user's hub serves that user (0600).
  package var isSystem: Bool
  /// Connections beyond this many are refused with `quota`.
  package var maxClients = 16_384
  /// How many bytes all sessions together may make the hub keep for them: replies and partially sent frames that were not
  /// taken, requests that are not whole. Beyond it the session with the most is ended.
  package var heldBytes = 64 << 20
  /// How long a connection may take to say hello, in milliseconds.
  package var helloMilliseconds = 10_000
  /// How long a stopping hub waits for clients to take what is queued for them, in milliseconds.
  package var stopMilliseconds = 1000
  package var logLevel = LogLevel.info
  /// The options of the engine.
  package var engine = HubEngine.Options()
  /// Where values are kept; nil: nowhere.
  package var stateDirectory: String?
  /// A journal shorter than this, in bytes, is not replaced by a snapshot.
  package var journalBytes = 16 << 20
  /// The stores that the configuration declares.
  package var declarations: [StoreDeclaration] = []

  package init(socketPath: String, isSystem: Bool) {
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
    options.engine.stepWork = 100_000
    return options
  }
}
