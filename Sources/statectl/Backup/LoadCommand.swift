// `statectl load`: makes the stores of a dump. Everything is tried before anything is applied; what fails is named by line.

internal import HubCore

struct LoadCommand: HubCommand {
  private let dump: Dump
  private let isDry: Bool
  private let replaces: Bool
  private let json: Bool
  private let progress: Progress

  /// More than a hub holds, unless it is configured for that.
  static let inputLimit = 4 << 30

  /// - Throws: what is wrong with the dump, with the line's number.
  init(_ words: CommandLineWords) throws(Failure) {
    let progress = Progress(of: .load)
    self.progress = progress
    defer { progress.end() }
    let input = try StandardInput.read(limit: LoadCommand.inputLimit, progress)
    do throws(Failure) {
      dump = try Dump(input, progress)
    } catch {
      throw .partly(error, applied: LoadTally().description)
    }
    isDry = words.has(.dryRun)
    replaces = words.has(.replace)
    json = words.has(.json)
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    defer { progress.end() }
    client.progress = progress
    let present = try stores(of: &client)
    guard let longest = client.welcome?.maximumFrameLength else { throw .strangeAnswer }
    var plan = LoadPlan(dump, present: present, longestFrame: Int(longest))
    var tally = LoadTally()
    do throws(Failure) {
      try rehearse(&plan, &client)
      if !isDry { try apply(plan, &client, &tally) }
    } catch {
      throw .partly(error, applied: tally.description)
    }
    progress.end()
    try report(tally, to: &output)
  }

  private func report(_ tally: LoadTally, to output: inout Output) throws(Failure) {
    let count = dump.entries.count
    if json {
      try output.json {
        $0.member("stores", UInt64(count))
        $0.member("applied", !isDry)
        if !isDry { $0.member("revision", tally.revision) }
      }
    } else if isDry {
      try output.line(count == 1 ? "1 store can be loaded" : "\(count) stores can be loaded")
    }
  }

  /// The hub's stores, and whether the configuration declares them: those rules are not ours to change.
  private func stores(of client: inout Client) throws(Failure) -> [String: Bool] {
    var present: [String: Bool] = [:]
    var after = ""
    progress.begin("stores of the hub looked at")
    while true {
      guard case .listed(let stores, let more) = try client.ask(.list(.everything, after: after)) else {
        throw .strangeAnswer
      }
      for store in stores { present[store.name] = store.declared }
      progress.advance(to: present.count)
      guard more, let last = stores.last else { return present }
      after = last.name
    }
  }

  // MARK: Trying and applying

  /// Lets the hub carry out every step and take it back: the condition of a last operation cannot hold.
  private func rehearse(_ plan: inout LoadPlan, _ client: inout Client) throws(Failure) {
    var position = 0
    progress.begin("stores tried", of: dump.entries.count)
    while let step = plan.step(from: position) {
      progress.reach(position)
      if step.isAlone {
        if let problem = plan.problem(with: step) { throw .inLine(dump.entries[position].line, problem) }
        position = step.end
        continue
      }
      do throws(Failure) {
        _ = try client.ask(.transaction(step.operations + [LoadPlan.impossible]))
        throw .strangeAnswer
      } catch {
        guard case .hub(let refusal) = error, refusal.store != nil else { throw error }
        if refusal.operation == step.operations.count {
          position = step.end
          continue
        }
        guard let entry = step.entry(of: refusal.operation) else { throw error }
        // With what stands against it out of the way the same step is tried again.
        if replaces, refusal.code.isAgainstRules, plan.replace(entry) { continue }
        throw .inLine(dump.entries[entry].line, refusal.code.isAgainstRules ? error.hinted(replaces) : error)
      }
    }
  }

  private func apply(
    _ plan: LoadPlan, _ client: inout Client, _ tally: inout LoadTally
  ) throws(Failure) {
    var position = 0
    progress.begin("stores loaded", of: dump.entries.count)
    while let step = plan.step(from: position) {
      let lines = dump.entries[position].line...dump.entries[step.end - 1].line
      progress.reach(position)
      tally.begin(lines)
      do throws(Failure) {
        try carryOut(step, &client, &tally)
      } catch {
        tally.fail(error)
        guard case .hub(let refusal) = error, let entry = step.entry(of: refusal.operation),
          refusal.store != nil
        else { throw error.ofWrite }
        throw .inLine(dump.entries[entry].line, error)
      }
      tally.finish()
      position = step.end
    }
  }

  private func carryOut(
    _ step: LoadPlan.Step, _ client: inout Client, _ tally: inout LoadTally
  ) throws(Failure) {
    if step.isAlone {
      for operation in step.operations { tally.advance(to: try client.write(operation).revision) }
      return
    }
    guard case .committed(let revision, _) = try client.ask(.transaction(step.operations)) else {
      throw .strangeAnswer
    }
    tally.advance(to: revision)
  }
}

extension HubError.Code {
  /// The store that is there has a type or rules that the dump's does not fit.
  fileprivate var isAgainstRules: Bool {
    switch self {
    case .schemaConflict, .typeMismatch, .outOfRange, .notAChoice, .tooLarge: true
    default: false
    }
  }
}

extension Failure {
  fileprivate func hinted(_ replaces: Bool) -> Failure {
    guard case .hub(var error) = self, !replaces else { return self }
    error.message += " (--replace removes the store first)"
    return .hub(error)
  }
}
