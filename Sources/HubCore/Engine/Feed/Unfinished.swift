// Owns the requests that take more than one step: how far each has come, until it is answered.

/// A request that spent its effort. Its session asks again with the same frame, after the others had their turn.
enum Unfinished {
  case list(ListProgress)
  case watch(WatchProgress)
  /// The next of the watch's patterns to end.
  case unwatch(next: Int32)
}

/// A page of stores that is not full yet.
struct ListProgress {
  /// Every name up to this one was looked at.
  var after: [UInt8]
  var page: [StoreSummary] = []
  var bytes = 0
}

/// A watch whose patterns are being looked up. Nothing is watched before all of them are there.
struct WatchProgress {
  let request: UInt32
  let audience: AudienceIndex
  let command: WatchCommand
  /// The patterns so far, each retained.
  var patterns: [Int32] = []
  /// How many of them are whole.
  var built = 0
  /// Why there is no watch: what was retained is released, then the client is told.
  var failure: HubError?
}

extension Feed {
  /// Goes on with the patterns of a watch.
  ///
  /// - Returns: whether it is done: all patterns are whole, or none is retained.
  mutating func advance(_ progress: inout WatchProgress, _ stores: inout Stores, _ effort: inout Effort)
    -> Bool
  {
    while progress.failure == nil, progress.patterns.count < progress.command.patterns.count {
      if effort.isSpent { return false }
      effort.spend(Cost.pattern)
      do throws(HubError) {
        progress.patterns.append(
          patterns.retain(
            try NamePattern(progress.command.patterns[progress.patterns.count]), for: progress.audience))
      } catch {
        progress.failure = error
      }
    }
    if progress.failure != nil { return release(&progress, &effort) }
    while progress.built < progress.patterns.count {
      guard !effort.isSpent,
        patterns.build(progress.patterns[progress.built], stores: &stores, &effort)
      else { return false }
      effort.spend(Cost.membership)
      progress.built += 1
    }
    return true
  }

  /// Gives up what was retained.
  ///
  /// - Returns: whether all of it is.
  mutating func release(_ progress: inout WatchProgress, _ effort: inout Effort) -> Bool {
    while let pattern = progress.patterns.popLast() {
      patterns.release(pattern)
      effort.spend(Cost.pattern)
      if effort.isSpent { return progress.patterns.isEmpty }
    }
    return true
  }
}
