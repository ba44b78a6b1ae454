// The judge of a history: fed with what writers and watchers wrote down, it tells every promise that was broken. Pure, and
// the order among different sources does not matter, except that a watcher's records come after what writers had sent by then.

/// A broken promise.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable {
    /// An acknowledged write is not there.
    case lostWrite
    /// What is there is no state behind any step: a part of a transaction, or a value out of order.
    case impossibleState
    /// One revision of an epoch names two changes.
    case reusedRevision
    /// One version of a store names two changes.
    case reusedVersion
    /// A number of the hub or of a store went back.
    case regress
    /// Something was shown or acknowledged that turned out never to have happened.
    case undone
    /// The epoch changed, though nothing was lost.
    case newEpoch
    /// A view at `synced` lacks a change that it must hold.
    case gap
    /// A view at `synced` holds a part of a transaction.
    case halfTransaction
    /// A value that nobody wrote.
    case damagedValue
    /// A volatile store outlived its hub.
    case survivingVolatile
    /// A correct request was refused.
    case refused
    /// The shared counter is not the number of steps that counted.
    case miscount
    /// A record that no writer or watcher can write there.
    case malformedHistory
  }

  public var kind: Kind
  public var source: String
  public var text: String

  public var description: String { "\(source): \(kind): \(text)" }
}

public struct Checker {
  public private(set) var violations: [Violation] = []
  private var writers: [Int: WriterHistory] = [:]
  private var watchers: [String: WatcherHistory] = [:]
  private var truth = Truth()

  public init() {}

  public struct Counts: Hashable, Sendable {
    public var sent = 0
    public var acknowledged = 0
    /// Steps whose answer was lost, and that had happened, or not.
    public var happenedUnanswered = 0
    public var voided = 0
    public var events = 0
    public var resumes = 0
    public var checkedViews = 0
    public var connections = 0

    public init() {}
  }

  public private(set) var counts = Counts()

  public mutating func feed(writer: Int, _ record: Record) {
    writers[writer, default: WriterHistory(writer)].take(record, &truth, &counts)
    collect()
  }

  public mutating func feed(watcher: String, _ record: Record) {
    watchers[watcher, default: WatcherHistory(watcher)].take(record, &truth, &counts)
    collect()
  }

  /// A source's words that are no record.
  public mutating func feed(nonsense line: String, from source: String) {
    truth.report(.malformedHistory, source, line)
    collect()
  }

  /// Everybody has stopped, each writer after an observation: what the counter says has to be what the steps counted.
  public mutating func finish(counter: Int64) {
    let counted = writers.values.reduce(0) { $0 + $1.counted }
    if Int64(counted) != counter {
      truth.report(.miscount, "counter", "it is \(counter), and \(counted) steps counted")
    }
    for writer in writers.values where writer.hasPending {
      truth.report(.malformedHistory, "writer \(writer.writer)", "it stopped without an observation")
    }
    collect()
  }

  private mutating func collect() {
    if truth.violations.isEmpty { return }
    violations += truth.violations
    truth.violations = []
  }
}
