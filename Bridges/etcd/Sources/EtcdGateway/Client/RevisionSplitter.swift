// Takes messages with several revisions apart.

struct RevisionSplitter {
  /// Bounded by one message: it is emptied before the next is read.
  private var steps: [EtcdWatchStep] = []
  private var taken = 0

  /// Takes a message with events or about progress. Each revision is in one message as a whole.
  mutating func add(_ message: WatchMessage) {
    if message.events.isEmpty { steps.append(.progress(message.header.revision)) }
    for events in message.events.chunked() {
      steps.append(
        .revision(EtcdRevision(number: events[events.startIndex].keyValue.modRevision, events: Array(events)))
      )
    }
  }

  /// The next step.
  mutating func next() -> EtcdWatchStep? {
    guard taken < steps.count else {
      steps.removeAll()
      taken = 0
      return nil
    }
    defer { taken += 1 }
    return steps[taken]
  }
}

extension [EtcdEvent] {
  /// In parts of one revision each.
  fileprivate func chunked() -> [ArraySlice<EtcdEvent>] {
    var parts: [ArraySlice<EtcdEvent>] = []
    var start = 0
    for index in indices
    where index + 1 == count || self[index + 1].keyValue.modRevision != self[index].keyValue.modRevision {
      parts.append(self[start...index])
      start = index + 1
    }
    return parts
  }
}
