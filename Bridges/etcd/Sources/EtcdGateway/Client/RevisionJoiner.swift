// Joins fragments into whole revisions, and takes messages with several revisions apart.

struct RevisionJoiner {
  /// Events of a revision whose rest is in the next fragment. Bounded by what etcd takes as one request.
  private var open: [EtcdEvent] = []
  /// What is whole. Bounded by one message: it is emptied before the next is read.
  private var steps: [EtcdWatchStep] = []
  private var taken = 0

  /// Takes a message with events or about progress.
  mutating func add(_ message: WatchMessage) {
    let isProgress = message.events.isEmpty && open.isEmpty && !message.isFragment
    for event in message.events {
      if let last = open.last, last.keyValue.modRevision != event.keyValue.modRevision { close() }
      open.append(event)
    }
    if !message.isFragment { close() }
    if isProgress { steps.append(.progress(message.header.revision)) }
  }

  /// The next step that is whole.
  mutating func next() -> EtcdWatchStep? {
    guard taken < steps.count else {
      steps.removeAll()
      taken = 0
      return nil
    }
    defer { taken += 1 }
    return steps[taken]
  }

  private mutating func close() {
    guard let first = open.first else { return }
    steps.append(.revision(EtcdRevision(number: first.keyValue.modRevision, events: open)))
    open = []
  }
}
