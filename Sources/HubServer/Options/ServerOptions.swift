// The options that a hub starts with. They read no file and no environment.

import HubCore
package import HubEngine
import HubSystem

/// The settings of one hub.
package struct ServerOptions: Sendable, Equatable {
  /// Where clients connect: at most 107 bytes.
  package var socketPath: String
  /// The system's hub serves every user that its socket's group lets in (0660); a user's hub serves that user (0600).
  package var isSystem: Bool
  /// The group of the socket's file, which may connect (0660); nil: the process's.
  package var socketGroup: UInt32?
  /// Connections beyond this many are refused with `quota`.
  package var maxClients = 16_384
  /// How many connections a user may have, and how many new ones in a second, in the long run. Root and the hub's own user
  /// are not limited.
  package var maxUserClients = 4096
  package var userConnectsPerSecond = 1000
  /// The memory kept for all sessions together, in bytes: replies and partially sent frames that were not taken,
  /// requests that are not whole. Beyond it the session with the most is ended.
  package var heldBytes = 64 << 20
  /// How long a connection may take to say hello, in milliseconds.
  package var handshakeTimeoutMilliseconds = 10_000
  /// How long a stopping hub waits for clients to take what is queued for them, in milliseconds.
  package var stopMilliseconds = 1000
  package var logLevel = LogLevel.info
  /// The options of the engine.
  package var engine = HubEngine.Options()
  /// Where values are kept; nil: nowhere.
  package var stateDirectory: String?
  /// A journal shorter than this, in bytes, is not replaced by a snapshot.
  package var snapshotThresholdBytes = 16 << 20
  /// Where clients connect besides, within limits.
  package var sockets: [SocketOptions] = []
  /// Whether the hub gives up, when it starts, what it does not need.
  package var usesSandbox = true
  /// The stores that the configuration declares.
  package var declarations: [StoreDeclaration] = []
  /// The claims that are there from the start.
  package var providers: [ProviderDeclaration] = []
  /// The access rules, without those of declarations.
  package var access = AccessRules()
  /// Warnings about a valid configuration, each with its position.
  package var notes: [String] = []

  /// The most connections of one user. A quarter of all is for others.
  var mostUserClients: Int { min(maxUserClients, maxClients - maxClients / 4) }

  /// Whether other users may connect at the hub's own socket.
  var isShared: Bool { isSystem || socketGroup != nil }

  /// What the kernel may take for large send buffers.
  var sendBufferBytes: Int { engine.maximumMemory / 8 }

  package init(socketPath: String, isSystem: Bool) {
    self.socketPath = socketPath
    self.isSystem = isSystem
  }

  /// The access rules, including those of declarations. What a declaration omits follows the rule that would decide
  /// otherwise.
  package var allAccess: AccessRules {
    let table = AccessTable(access, user: engine.uid, group: engine.gid)
    var all = access
    all.sockets = sockets.map(\.limit)
    for declaration in declarations where declaration.readers != nil || declaration.writers != nil {
      let rule = table.ranked[Array(declaration.name.text.utf8).withByteView { table.rule(for: $0) }]
      var grants: [AccessGrant] = []
      for (subjects, right) in [(declaration.readers, AccessRights.read), (declaration.writers, .write)] {
        let others = rule.grants.filter { $0.rights.contains(right) }.map(\.subject)
        for subject in subjects ?? others { grants.give(right, to: subject) }
      }
      for grant in rule.grants { grants.give(grant.rights.subtracting([.read, .write]), to: grant.subject) }
      all.rules.append(
        AccessRule(NamePattern(declaration.name), grants, origin: "stores.\"\(declaration.name)\""))
    }
    return all
  }

  /// The options with this process's own facts, and its program.
  var ofThisProcess: ServerOptions {
    var options = self
    options.engine.release = Release.version
    options.engine.pid = UInt32(CurrentProcess.pid)
    options.engine.uid = CurrentProcess.effectiveUser
    options.engine.gid = CurrentProcess.effectiveGroup
    options.engine.access = options.allAccess
    options.engine.canReload = true
    options.engine.stepWork = 100_000
    return options
  }
}
