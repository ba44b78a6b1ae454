// What a hub begins with: an engine and settings of its own, or those of the hub before it together with its connections.

import HubCore

struct Beginning: ~Copyable {
  var options: ServerOptions
  var engine: HubEngine
  /// Nil: nothing is kept on disk.
  var journal: Journal?
  /// What is taken over, and how; nil for a hub that begins anew.
  var server: ServerImage?
  var way: Inheritance.Way?
  /// What a person should know, for the log and for who asked for a reload.
  var notes: [String] = []
  /// Why the configuration as it is now is not in force.
  var complaint: String?
  /// Why an inheritance was not accepted.
  var lossReason: String?

  /// - Parameters:
  ///   - environment: as `Inheritance.find` takes it.
  ///   - settings: as `HubServer.run` takes it. If it throws and there is an inheritance, what was in force stays so.
  static func find(
    _ environment: inout ServiceEnvironment, now: Instant, _ settings: () throws(ServerError) -> ServerOptions
  ) throws(ServerError) -> Beginning {
    var problem: String?
    let inheritance = Inheritance.find(&environment, problem: &problem)
    let wanted: Result<ServerOptions, ServerError>
    do throws(ServerError) { wanted = .success(try settings()) } catch { wanted = .failure(error) }
    if let inheritance {
      do throws(ImageError) {
        return try continuing(inheritance, wanted, now)
      } catch {
        problem = "\(error): clients have to connect again"
      }
    }
    var beginning = try open(wanted.get(), now)
    beginning.lossReason = problem
    return beginning
  }

  /// A hub that holds the declared stores, and what its state directory holds, if it has one.
  ///
  /// - Throws: `ServerError.declaration`, `ServerError.stateDirectory`.
  private static func open(_ options: ServerOptions, _ now: Instant) throws(ServerError) -> Beginning {
    guard let directory = options.stateDirectory else { return try anew(options, now) }
    var options = options
    options.engine.journals = true
    let declarations = options.declarations.map { ($0.name, $0.schema) }
    var (notes, kept): ([String], [String]) = ([], [])
    let opened = try Journal.open(directory, options: options.engine, boot: .current, now: now, notes: &notes)
    {
      (engine: inout HubEngine) throws(ServerError) in
      do throws(HubError) {
        kept = try engine.declare(declarations, now: now).map(\.description)
      } catch {
        throw .declaration(error)
      }
    }
    let journal = opened.journal
    return Beginning(
      options: options, engine: opened.takeEngine(), journal: journal, notes: notes + kept)
  }

  /// A hub that holds the declared stores.
  ///
  /// - Throws: `ServerError.declaration`.
  static func anew(_ options: ServerOptions, _ now: Instant) throws(ServerError) -> Beginning {
    var engine = HubEngine(options: options.engine, epoch: .random(), now: now)
    do throws(HubError) {
      _ = try engine.declare(options.declarations.map { ($0.name, $0.schema) }, now: now)
    } catch {
      throw .declaration(error)
    }
    return Beginning(options: options, engine: engine)
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
      notes = options.keepWhatMustStay(of: inForce)
    case .failure(let error): complaint = "configuration rejected: \(error)"
    }
    options.engine.journals = options.stateDirectory != nil
    let image: ImageError
    do throws(ImageError) {
      var engine = try inheritance.engine(options.engine)
      for number in inheritance.lost { engine.close(SessionID(raw: number), now: now) }
      do throws(HubError) {
        let declarations = options.declarations.map { ($0.name, $0.schema) }
        notes += try engine.declare(declarations, now: now).map(\.description)
      } catch {
        // The other settings hold; the stores stay as they were.
        complaint = "configuration rejected: a declared store is refused: \(error)"
        options.declarations = inForce.declarations
      }
      var journal: Journal?
      if let directory = options.stateDirectory {
        do throws(ServerError) {
          journal = try Journal.resume(directory, &engine, boot: .current, now: now)
        } catch {
          throw ImageError("\(error)")
        }
      }
      return Beginning(
        options: options, engine: engine, journal: journal, server: inheritance.server, way: inheritance.way,
        notes: notes,
        complaint: complaint)
    } catch {
      image = error
    }
    inheritance.abandon()
    throw image
  }
}
