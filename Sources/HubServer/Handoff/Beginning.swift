// What a hub starts with: its own engine and settings, or those of the previous hub together with its connections.

import HubCore
import HubEngine
import HubSystem

struct Beginning: ~Copyable {
  var options: ServerOptions
  var engine: HubEngine
  /// Nil: nothing is kept on disk.
  var journal: Journal?
  /// The inherited image; nil for a hub that starts afresh.
  var server: ServerImage?
  /// Human-readable notes, for the log and for the caller of a reload.
  var notes: [String] = []
  /// Why the current configuration is not in effect.
  var complaint: String?
  /// Why an inheritance was not accepted.
  var lossReason: String?

  /// - Parameters:
  ///   - environment: as `Inheritance.find` takes it.
  ///   - settings: as `HubServer.run` takes it. If it throws and there is an inheritance, the current settings stay in
  ///     effect.
  static func find(
    _ environment: inout ServiceEnvironment, now: Instant, _ settings: () throws(ServerError) -> ServerOptions
  ) throws(ServerError) -> Beginning {
    var problem: String?
    // From here on clients may depend on this hub: descriptors taken from the service manager's store are nowhere else.
    StartSignals.blockStops()
    let inheritance = Inheritance.find(&environment, problem: &problem)
    if inheritance == nil { StartSignals.allowStops() }
    let wanted: Result<ServerOptions, ServerError>
    do throws(ServerError) { wanted = .success(try settings()) } catch { wanted = .failure(error) }
    if let inheritance {
      do throws(ImageError) {
        return try continuing(inheritance, wanted, now)
      } catch {
        problem = "\(error): clients must reconnect"
      }
    }
    // Reading a state directory can take long, but changes nothing.
    StartSignals.allowStops()
    var beginning = try fresh(wanted.get(), environment, now)
    beginning.lossReason = problem
    return beginning
  }

  /// A hub with the declared stores and, if there is a state directory, its content.
  ///
  /// - Throws: `ServerError.declaration`, `ServerError.stateDirectory`.
  private static func fresh(
    _ options: ServerOptions, _ environment: ServiceEnvironment, _ now: Instant
  ) throws(ServerError) -> Beginning {
    var options = options
    guard let directory = options.stateDirectory else {
      return Beginning(options: options, engine: try engine(options, now), notes: options.notes)
    }
    // A hub that is already running holds the directory as well, but its socket is more familiar to users.
    if !environment.passed.contains(where: \.isHubsOwn) { try ListeningSocket.checkFree(options.socketPath) }
    options.engine.journals = true
    let (declarations, providers) = (options.declarations, options.providers)
    var notes = options.notes
    var kept: [String] = []
    let opened = try Journal.open(
      directory, options: options.engine, boot: .current, now: now,
      runtimeDirectory: noteDirectory(options), notes: &notes,
      willRecover: { ServiceLink.reportRecovery(of: $0, to: environment) }
    ) { (engine: inout HubEngine) throws(ServerError) in
      kept = try declare(declarations, in: &engine, now: now)
      engine.declare(providers: providers, now: now)
    }
    let journal = opened.journal
    return Beginning(
      options: options, engine: opened.takeEngine(), journal: journal, notes: notes + kept)
  }

  /// Where the journal's end is noted: the first of `$RUNTIME_DIRECTORY` (a service manager separates several by colons), else
  /// the socket's directory.
  static func noteDirectory(_ options: ServerOptions) -> String {
    if let first = Environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first { return String(first) }
    // The socket is bound later.
    _ = try? ListeningSocket.createDirectory(of: options.socketPath, isShared: options.isShared)
    let parts = options.socketPath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count < 2 ? "." : parts.dropLast().joined(separator: "/")
  }

  /// An engine with the declared stores.
  static func engine(_ options: ServerOptions, _ now: Instant) throws(ServerError) -> HubEngine {
    var engine = HubEngine(options: options.engine, epoch: .random(), now: now)
    _ = try declare(options.declarations, in: &engine, now: now)
    engine.declare(providers: options.providers, now: now)
    return engine
  }

  /// - Returns: human-readable notes about values of existing stores.
  static func declare(
    _ declarations: [StoreDeclaration], in engine: inout HubEngine, now: Instant
  ) throws(ServerError) -> [String] {
    do throws(HubError) {
      return try engine.declare(declarations.map { ($0.name, $0.schema) }, now: now).map(\.description)
    } catch {
      throw .declaration(error)
    }
  }

  private static func continuing(
    _ inheritance: consuming Inheritance, _ wanted: Result<ServerOptions, ServerError>, _ now: Instant
  ) throws(ImageError) -> Beginning {
    let inForce = inheritance.server.settings
    var notes: [String] = []
    var complaint: String?
    var options = inForce.ofThisProcess
    switch wanted {
    case .success(let settings):
      options = settings
      notes = options.notes + options.keepWhatMustStay(of: inForce)
    case .failure(let error): complaint = "configuration rejected: \(error)"
    }
    options.engine.journals = options.stateDirectory != nil
    let image: ImageError
    do throws(ImageError) {
      // The rights that sessions had until now determine their notifications.
      var former = inForce.ofThisProcess.engine
      former.journals = options.engine.journals
      var engine = try inheritance.engine(former, now: now)
      for connection in inheritance.server.connections
      where !engine.isOpen(SessionID(raw: connection.descriptor)) {
        throw ImageError("the image holds a connection without a session")
      }
      do throws(HubError) {
        _ = try engine.validated(options.declarations.map { ($0.name, $0.schema) }, within: options.engine)
      } catch {
        // The other settings have taken effect; the stores are unchanged.
        complaint = "configuration rejected: a declared store is refused: \(error)"
        options.declarations = inForce.declarations
        options.engine.access = options.allAccess
      }
      // Before anything changes, because options change only between turns.
      engine.apply(
        options.engine, groups: { Inheritance.groups(of: $0.raw) }, origins: { .ofPeer(at: $0.raw) })
      for number in inheritance.lost { engine.close(SessionID(raw: number), in: engine.openTurn(), now: now) }
      if complaint == nil {
        do throws(ServerError) {
          notes += try declare(options.declarations, in: &engine, now: now)
          engine.declare(providers: options.providers, now: now)
        } catch {
          throw ImageError("\(error), although it was valid")
        }
      }
      var journal: Journal?
      if let kept = inheritance.server.journal {
        do throws(ServerError) {
          journal = try Journal.adopt(kept, &engine, isEnded: inheritance.way == .store, now: now)
        } catch {
          throw ImageError("\(error)")
        }
      } else if options.engine.journals {
        throw ImageError("the previous hub kept nothing on disk")
      }
      return Beginning(
        options: options, engine: engine, journal: journal, server: inheritance.server,
        notes: notes,
        complaint: complaint)
    } catch {
      image = error
    }
    inheritance.abandon()
    throw image
  }
}
