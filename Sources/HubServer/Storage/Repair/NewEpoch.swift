// Declares that a state directory has an earlier state than its clients have seen: a new epoch begins, and nothing
// else changes.

internal import HubCore
internal import HubEngine
internal import HubSystem

package enum NewEpoch {
  /// Begins a new epoch in a directory, which no hub may be using.
  ///
  /// - Returns: the epoch; nil: there is no state in the directory.
  /// - Throws: `ServerError.stateDirectory` if no hub can start from the directory, or nothing can be written to it.
  package static func begin(_ path: String) throws(ServerError) -> String? {
    Disk.takeLimitsAsErrors()
    do throws(JournalProblem) {
      let summary = try StateListing(path).summary
      if case .success(let plan) = summary.plan, plan.isFresh { return nil }
    } catch {
      throw .stateDirectory(path: path, reason: error.description)
    }
    var notes: [String] = []
    let now = Clocks.now
    let opened = try Journal.open(
      path, options: HubEngine.Options(), boot: .current, now: now, beginsEpoch: true, notes: &notes)
    let journal = opened.journal
    var engine = opened.takeEngine()
    if let failure = journal.unbegun {
      throw .stateDirectory(path: path, reason: "cannot \(failure)")
    }
    try journal.start()
    journal.finish(&engine, now: now)
    return "\(engine.epoch)"
  }
}
