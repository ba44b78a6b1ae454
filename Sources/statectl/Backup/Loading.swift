// The steps of a load, sent to a hub: first all as a trial, then permanently. `LoadPlan` has the steps.

internal import HubCore

struct Loading {
  var plan: LoadPlan
  /// A store that conflicts with the dump's is removed first.
  let replaces: Bool
  let progress: Progress
  private(set) var tally = LoadTally()

  private var dump: Dump { plan.dump }

  /// Lets the hub execute every step and roll it back: the condition of a last operation cannot hold.
  mutating func rehearse(_ client: inout Client) throws(Failure) {
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
        if !step.operations.isEmpty { try client.rehearse(step.operations) }
        position = step.end
      } catch {
        guard case .hub(let refusal) = error, refusal.store != nil,
          let entry = step.entry(of: refusal.operation)
        else { throw error }
        // With the conflicting store removed, the same step is tried again.
        if replaces, refusal.code.isAgainstRules, plan.replace(entry) { continue }
        let isHinted = refusal.code.isAgainstRules && !replaces
        throw .inLine(
          dump.entries[entry].line,
          isHinted ? error.with { $0.message += " (--replace removes the store first)" } : error)
      }
    }
  }

  mutating func apply(_ client: inout Client) throws(Failure) {
    var position = 0
    progress.begin("stores loaded", of: dump.entries.count)
    while let step = plan.step(from: position) {
      let lines = dump.entries[position].line...dump.entries[step.end - 1].line
      progress.reach(position)
      tally.begin(lines)
      do throws(Failure) {
        try carryOut(step, &client)
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

  private mutating func carryOut(_ step: LoadPlan.Step, _ client: inout Client) throws(Failure) {
    if step.operations.isEmpty { return }
    if step.isAlone {
      for operation in step.operations { tally.advance(to: try client.write(operation).revision) }
      return
    }
    tally.advance(to: try client.commit(step.operations).revision)
  }
}

extension Client {
  /// Lets the hub execute a transaction and take it back: the condition of a last operation cannot hold.
  mutating func rehearse(_ operations: [WriteOperation]) throws(Failure) {
    do throws(Failure) {
      _ = try ask(.transaction(operations + [LoadPlan.impossible(after: operations)]))
    } catch {
      guard case .hub(let refusal) = error, refusal.store != nil, refusal.operation == operations.count
      else { throw error }
      return
    }
    throw .unexpectedReply
  }
}

extension HubError.Code {
  /// The existing store has a type or rules that conflict with the dump's.
  fileprivate var isAgainstRules: Bool {
    switch self {
    case .schemaConflict, .typeMismatch, .outOfRange, .notAChoice, .tooLarge: true
    default: false
    }
  }
}
