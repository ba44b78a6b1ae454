// A watch as its reader sees it.

/// The changes of some keys, in whole revisions, one task reading them. It never ends but by a failure: watch again then, from
/// the revision after the last one that was told.
///
/// A reader that is slow makes etcd wait, not this process grow.
package final class EtcdWatch: AsyncSequence, AsyncIteratorProtocol {
  private let stream: WatchStream
  private var lines: HTTPLines
  private var splitter = RevisionSplitter()

  /// The cluster's revision when the watch was made.
  package let createdRevision: Int64

  /// The member that tells.
  package var endpoint: String { stream.endpoint }

  init(_ opened: OpenedWatch) {
    stream = opened.stream
    lines = opened.lines
    createdRevision = opened.revision
  }

  /// The next step. It throws how the watch has ended; `nil` never comes.
  package func next() async throws(EtcdFailure) -> EtcdWatchStep? {
    while true {
      if let step = splitter.next() { return step }
      splitter.add(try await stream.next(&lines))
    }
  }

  /// Itself: a watch is read once.
  package func makeAsyncIterator() -> EtcdWatch { self }
}
