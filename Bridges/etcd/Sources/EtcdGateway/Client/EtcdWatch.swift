// A watch as its reader sees it.

/// The changes of some keys, in whole revisions, for one reading task. It ends only by a failure: then watch again, from the
/// revision after the last one that was sent.
///
/// A slow reader makes etcd wait, and does not use up memory.
package final class EtcdWatch: AsyncSequence, AsyncIteratorProtocol {
  private let stream: WatchStream
  private var lines: HTTPLines
  private var splitter = RevisionSplitter()

  /// The cluster's revision when the watch was made.
  package let createdRevision: Int64

  /// The member that sends the changes.
  package var endpoint: String { stream.endpoint }

  init(_ opened: OpenedWatch) {
    stream = opened.stream
    lines = opened.lines
    createdRevision = opened.revision
  }

  /// The next step; never `nil`. It throws when the watch ends.
  package func next() async throws(EtcdFailure) -> EtcdWatchStep? {
    while true {
      if let step = splitter.next() { return step }
      splitter.add(try await stream.next(&lines))
    }
  }

  /// Itself: a watch is read once.
  package func makeAsyncIterator() -> EtcdWatch { self }
}
