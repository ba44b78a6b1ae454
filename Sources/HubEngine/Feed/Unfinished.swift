// Owns the requests that take more than one step: the progress of each, until it is answered.

import HubCore

/// A request that spent its effort. Its session asks again with the same frame, after the others had their turn.
enum Unfinished {
  case list(ListProgress)
  case watch(WatchProgress)
  /// The next of the watch's patterns to end.
  case unwatch(next: Int32)
}

/// A page of stores that is not full yet.
struct ListProgress {
  /// Every name up to this one was examined.
  var after: [UInt8]
  var page: [StoreSummary] = []
  var bytes = 0
}

/// A watch whose patterns are being looked up. Nothing is watched before all of them exist.
struct WatchProgress {
  let session: SessionID
  let request: UInt32
  let command: WatchCommand
  /// What its texts take: charged to its user.
  let memory: Int
  /// The watches so far, each with its pattern. None has begun.
  var watches: [Int32] = []
  /// For how many of them the pattern is complete.
  var built = 0
  /// Why there is no watch: retained patterns are released, then the client gets the error.
  var failure: HubError?

  /// One of its watches, without a pattern.
  var watch: Watch {
    Watch(
      session: session.raw, request: request,
      policy: command.filter != nil ? .filtered : command.policy == .every ? .every : .latest,
      schemas: command.schemas, interval: command.filter?.milliseconds ?? 0)
  }
}

extension Feed {
  /// Continues with the patterns of a watch.
  ///
  /// - Returns: whether it is done: all patterns are complete, or none is retained.
  mutating func advance(_ progress: inout WatchProgress, _ stores: inout Stores, _ effort: inout Effort)
    -> Bool
  {
    while progress.failure == nil, progress.watches.count < progress.command.patterns.count {
      if effort.isSpent { return false }
      do throws(HubError) {
        let pattern = try NamePattern(progress.command.patterns[progress.watches.count])
        effort.spend(Cost.pattern(pattern))
        progress.watches.append(hold(pattern, for: progress.watch, &stores))
      } catch {
        progress.failure = error
      }
    }
    while progress.failure == nil, progress.built < progress.watches.count {
      if effort.isSpent { return false }
      let pattern = sessions[watch: progress.watches[progress.built]].pattern
      _ = patterns.takeCrowding()
      if patterns.build(pattern, stores: &stores, &effort) {
        effort.spend(Cost.membership)
        progress.built += 1
      }
      progress.failure = overdraft(of: progress.session, &stores) ?? crowding()
    }
    return progress.failure == nil || giveUp(&progress, &stores, &effort)
  }

  private mutating func crowding() -> HubError? {
    guard patterns.takeCrowding() else { return nil }
    return HubError(
      .quota,
      "a store that it matches is watched by \(PatternTable.mostPerStore) different patterns, the maximum"
    )
  }

  /// Drops the watches that have not begun.
  ///
  /// - Returns: whether none is left.
  mutating func giveUp(_ progress: inout WatchProgress, _ stores: inout Stores, _ effort: inout Effort)
    -> Bool
  {
    while let watch = progress.watches.popLast() {
      spend(endOf: watch, &effort)
      letGo(watch: watch, &stores)
      if effort.isSpent { return progress.watches.isEmpty }
    }
    return true
  }

  /// Drops what the session has requested.
  ///
  /// - Returns: whether nothing is left.
  mutating func giveUp(_ session: SessionID, _ stores: inout Stores, _ effort: inout Effort) -> Bool {
    switch unfinished.removeValue(forKey: session) {
    case .watch(var progress):
      guard giveUp(&progress, &stores, &effort) else {
        unfinished[session] = .watch(progress)
        return false
      }
      stores.accounts.refund(charge(progress.memory, of: session))
    case .list: stores.accounts.refund(charge(MemoryCost.list, of: session))
    case .unwatch, nil: break
    }
    return true
  }
}
