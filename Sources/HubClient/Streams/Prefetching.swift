// Asks the processor for memory that is needed soon: a thousand streams and their tasks exceed its caches, and waiting for
// them would be a fifth of the cost of a delivery. These are only hints: nothing is read here, and none can be wrong.

internal import HubSystem

/// How many steps ahead the loop asks.
enum Prefetching {
  static let streams = 8
  static let tasks = 6
}

extension EventStream {
  /// What `push` touches.
  func prefetch() { Processor.prefetch(Unmanaged.passUnretained(self).toOpaque(), count: 64) }
}

extension UnsafeContinuation {
  /// What resuming and running the task touches: its record, which a continuation points to, and the frames after it.
  func prefetch() { Processor.prefetch(unsafeBitCast(self, to: UnsafeRawPointer.self), count: 896) }
}
